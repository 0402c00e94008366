//! The device layer on the simulator: ownership of elements, phases, atomics.

mod atomics;
mod shared;
mod views;

use crate::param::KernelParam;
use crate::sim::{self, LaunchSpec};

/// Runs `kernel` for every thread of a grid of `grid` blocks of `block` threads.
fn launch(grid: [u32; 3], block: [u32; 3], shared_bytes: usize, kernel: impl Fn() + Sync) {
    let spec = LaunchSpec { grid, block, shared_bytes, kernel: "test", launch: 1 };
    if let Err(panic) = sim::run(&spec, &kernel) {
        panic!("{panic:?}");
    }
}

/// The words of a view of a slice, for all simulated threads.
struct Words<T>(*mut T, usize);

// SAFETY: only the views that are rebuilt from the words access the memory, by their own rules.
unsafe impl<T> Sync for Words<T> {}

impl<T> Words<T> {
    fn of(slice: &mut [T]) -> Self {
        Words(slice.as_mut_ptr(), slice.len())
    }

    /// The address.
    fn ptr(&self) -> *mut T {
        self.0
    }

    /// Rebuilds a view.
    ///
    /// # Safety
    /// As for `KernelParam::from_abi`.
    unsafe fn view<P: KernelParam<Ptr = *mut T, Meta = usize>>(&self) -> P {
        // SAFETY: the caller's duty.
        unsafe { P::from_abi(self.0, self.1) }
    }
}

/// Shapes of grid and block in one, two and three dimensions.
const SHAPES: [([u32; 3], [u32; 3]); 6] = [
    ([1, 1, 1], [1, 1, 1]),
    ([3, 1, 1], [64, 1, 1]),
    ([2, 3, 1], [8, 4, 1]),
    ([1, 2, 2], [5, 3, 2]),
    ([2, 1, 3], [1, 7, 3]),
    ([2, 2, 2], [4, 4, 4]),
];

fn threads([grid, block]: [[u32; 3]; 2]) -> usize {
    (grid.iter().product::<u32>() * block.iter().product::<u32>()) as usize
}
