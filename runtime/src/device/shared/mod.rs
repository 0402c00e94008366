//! The shared memory of a block: typed arrays, written and read in phases that cannot race.
//!
//! A kernel names its arrays in the type of one parameter, [`Shared<L>`](Shared); the launcher adds up their size.
//! There are two ways to use them: [`Shared::phases`] (and [`Shared::rounds`]), which is safe, and [`Shared::raw`],
//! which is `unsafe` and has no rules but the hardware's.
//! ```
//! use warpweft::prelude::*;
//!
//! /// Reverses every block of 256 elements.
//! #[kernel]
//! fn reverse(x: &[f32], mut y: DisjointSlice<f32>, shared: Shared<[f32; 256]>) {
//!     let i = thread::index();
//!     let mut phase = shared.phases();
//!     phase.arrays().set(x[&i]);                    // every thread writes its own element
//!     let mut phase = phase.sync();                 // barrier: from here on it can only be read
//!     let tile = phase.arrays();
//!     y[&i] = tile[255 - thread::rank() as usize];
//! }
//!
//! fn main() -> warpweft::Result<()> {
//!     let stream = Device::any()?.stream()?;
//!     let x: Vec<f32> = (0..512).map(|i| i as f32).collect();
//!     let (x, mut y) = (stream.upload(&x)?, stream.zeros::<f32>(512)?);
//!     reverse::launch(&stream, Grid::new(2, 256), &x, &mut y)?;
//!     let y = stream.download(&y)?;
//!     assert_eq!((y[0], y[255], y[256], y[511]), (255.0, 0.0, 511.0, 256.0));
//!     Ok(())
//! }
//! ```
//!
//! # Layouts
//! | in `L` | even phases (the first is number 0) | odd phases |
//! | --- | --- | --- |
//! | `[T; N]` | [`Own`]: a thread writes its own elements | `&[T; N]`: all read |
//! | [`Tile<T, ROWS, COLUMNS>`](Tile) | [`OwnTile`]: the same by row and column | `&[[T; COLUMNS]; ROWS]` |
//! | [`Later<A>`](Later) | as `A` in odd phases | as `A` in even phases |
//! | [`Double<A>`](Double) | two copies of `A`: one is written, the other is read | exchanged |
//! | `[Atomic<T, Block>; N]` | `&[Atomic<T, Block>; N]` | the same |
//! | `[T]`, as the last | as `[T; N]`; the launch gives the length | |
//! | `(A, B, ..)` | all of these, one after the other in memory | |
//!
//! # Why phases cannot race
//! Number the barriers that a thread has passed by [`Phase::sync`] or [`Rounds::sync`]; *interval* n lies between its
//! n-th and its next.
//!
//! 1. *What an array permits in interval n depends on n alone*, by the table above. A thread has one [`Phase`] or
//!    [`Rounds`]: it comes from the kernel's one `Shared` parameter, which each thread receives once, and it is
//!    neither `Copy` nor `Clone`. It starts in interval 0, only `sync` moves it, and `sync` moves it by one. So all
//!    threads agree on what interval n permits, whatever way through the program they took. This needs no check at
//!    run time.
//! 2. *In one interval* an array is either written, each element by one thread (the map from elements to threads
//!    depends on the type and on the size of the block only), or read by all, or atomic. There is no race.
//! 3. *In different intervals* m < n: an access of thread A in m and one of thread B in n. B has passed its n-th
//!    barrier. Barriers pair by count, not by place: the k-th barrier of a thread completes when every other thread
//!    has reached its k-th barrier or has left the kernel. So A has reached its barrier m + 1 <= n, and the barrier
//!    orders the two accesses; or A has left the kernel, and will make no more accesses.
//! 4. *No access slips out of its interval*: what [`Phase::arrays`] returns borrows the phase, and `sync` consumes it.
//!
//! Assumptions, each the duty of someone else: a kernel has at most one `Shared` parameter (the launcher checks it);
//! bare [`sync_threads`](super::barrier::sync_threads) is `unsafe`, with the duty not to disturb the count; the
//! hardware's non-aligned barrier counts threads, and those that have left as arrived (PTX ISA, `barrier`; on the CPU
//! the simulator, after the thread's unwinding is over).
//!
//! A thread that leaves early, by return or by panic, is not waited for. What it wrote before it left is visible
//! behind the next barrier in practice, but the memory model does not say so: read it as *unspecified*.
//!
//! Threads that disagree on the number of barriers (a loop whose count differs between threads) read values of another
//! step than the author meant. That is a bug of the kernel; it is no race, and no undefined behaviour. In its checked
//! mode (`WARPWEFT_SIM=checked`) the simulator reports a barrier that part of a block, having left the kernel, does not
//! reach.
//!
//! # Memory that was never written
//! Shared memory is not cleared. An element that no thread has written has an *unspecified value*: some bit pattern of
//! its type, which is valid since every element is an [`Element`](crate::Element). The simulator's checked mode reports such
//! reads by [`Shared::raw`] and by atomics; it does not see those through the references that phases give.

mod layout;
mod own;
mod phase;
mod place;
mod raw;

use core::marker::PhantomData;

pub use layout::{Double, Later, Length, Rotating, SharedLayout, Tile};
pub use own::{Own, OwnIter, OwnTile, OwnTileIter};
pub use phase::{Even, Odd, Phase, Rounds};
pub use raw::{RawShared, RawTile};

use super::backend;
use crate::param::KernelParam;
use place::Place;

/// The block's shared memory, laid out as `L`: a kernel parameter. See the [module](self).
///
/// A kernel has at most one. The launcher takes no argument for it, or a length where `L` ends in `[T]`, and adds its
/// size to the shared memory of the launch; more than 48 KiB work where the device has them.
///
/// Elements are aligned to at most 16 bytes:
/// ```compile_fail,E0080
/// use warpweft::prelude::*;
///
/// #[derive(Clone, Copy, Element)]
/// #[repr(C, align(32))]
/// struct Wide([u64; 4]);
///
/// #[kernel]
/// fn k(shared: Shared<[Wide; 2]>) {
///     let _ = shared;
/// }
///
/// fn main() -> warpweft::Result<()> {
///     k::launch(&Device::sim().stream()?, Grid::new(1, 1))
/// }
/// ```
pub struct Shared<'b, L: SharedLayout + ?Sized> {
    place: Place,
    block: PhantomData<&'b mut ()>,
    layout: PhantomData<fn(&L)>,
}

impl<'b, L: SharedLayout + ?Sized> Shared<'b, L> {
    /// Begins interval 0 of the phases.
    #[inline(always)]
    pub fn phases(self) -> Phase<'b, L, Even> {
        Phase::begin(self.place)
    }

    /// Begins interval 0 of the rounds: phases of a layout whose type is the same in each.
    #[inline(always)]
    pub fn rounds(self) -> Rounds<'b, L>
    where
        L: Rotating,
    {
        Rounds::begin(self.place)
    }

    /// Returns views without phases of the arrays, in the shape of `L`.
    ///
    /// Their accesses are `unsafe`; barriers between them are [`sync_threads`](super::barrier::sync_threads).
    #[inline(always)]
    pub fn raw(self) -> L::Raw<'b> {
        // SAFETY: the place is the start of the memory that the launch reserved for `L`.
        unsafe { L::raw(self.place) }
    }

    /// Returns the address of the block's shared memory, aligned to 16 bytes.
    #[inline(always)]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.place.pointer()
    }
}

// SAFETY: there are no words. The launcher reserves `L::bytes` of shared memory, at whose start the back end points.
unsafe impl<L: SharedLayout + ?Sized> KernelParam for Shared<'_, L> {
    type Ptr = ();
    type Meta = ();
    const IS_SHARED: bool = true;

    #[inline(always)]
    unsafe fn from_abi((): (), (): ()) -> Self {
        const { assert!(L::ALIGN <= 16, "an element of shared memory is aligned to at most 16 bytes") };
        #[cfg(not(target_arch = "nvptx64"))]
        assert!(backend::shared_bytes() as usize >= L::BYTES, "the launch reserved too little shared memory");
        Shared { place: Place::start(), block: PhantomData, layout: PhantomData }
    }
}
