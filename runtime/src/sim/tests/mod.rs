//! The engine, tested through the back end's functions.

mod barriers;
mod checked;
mod isolation;
mod panics;
mod warps;

use std::cell::UnsafeCell;

use super::LaunchSpec;

/// A launch of a grid and a block of any shape, with 4 KiB of shared memory.
fn spec(grid: [u32; 3], block: [u32; 3]) -> LaunchSpec {
    LaunchSpec { grid, block, shared_bytes: 4096, kernel: "kernel", launch: 7 }
}

/// A line of blocks.
fn line(blocks: u32, threads: u32) -> LaunchSpec {
    spec([blocks, 1, 1], [threads, 1, 1])
}

/// Memory that the threads of a launch share as those of a kernel share a buffer.
struct Global<T>(Box<[UnsafeCell<T>]>);

// SAFETY: tests give each thread its own elements, or order their accesses by barriers.
unsafe impl<T: Send> Sync for Global<T> {}

impl<T: Copy> Global<T> {
    fn new(len: usize, value: T) -> Self {
        Self((0..len).map(|_| UnsafeCell::new(value)).collect())
    }

    fn set(&self, index: usize, value: T) {
        // SAFETY: see the impl of Sync.
        unsafe { *self.0[index].get() = value }
    }

    fn get(&self, index: usize) -> T {
        // SAFETY: see the impl of Sync.
        unsafe { *self.0[index].get() }
    }

    fn at(&self, index: usize) -> *mut T {
        self.0[index].get()
    }

    fn to_vec(&self) -> Vec<T> {
        (0..self.0.len()).map(|index| self.get(index)).collect()
    }
}

/// The `index`th word of the block's shared memory.
fn shared(index: u32) -> *mut u32 {
    assert!(index * 4 < super::backend::shared_bytes());
    super::backend::shared_base().cast::<u32>().wrapping_add(index as usize)
}

fn write_shared(index: u32, value: u32) {
    // SAFETY: within bounds and aligned; a block's threads take turns.
    unsafe { shared(index).write(value) }
}

fn read_shared(index: u32) -> u32 {
    // SAFETY: as above; the memory is initialised, with poison at least.
    unsafe { shared(index).read() }
}

#[track_caller]
fn barrier() {
    // SAFETY: on the simulator this has no precondition.
    let _waited = unsafe { super::backend::block_barrier() };
}
