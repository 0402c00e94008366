//! Views of global memory that a kernel writes: every element has one owner among the threads of the launch.
//!
//! | view | a thread owns | witness |
//! | --- | --- | --- |
//! | [`DisjointSlice`] | element `rank`, and with [`strided`](DisjointSlice::strided) every element `rank + k * threads` | [`ThreadIndex`](super::thread::ThreadIndex) |
//! | [`DisjointChunks`] | elements `rank * N .. rank * N + N` | [`ThreadIndex`](super::thread::ThreadIndex) |
//! | [`DisjointGrid`] | the element at its row and column | [`ThreadIndex2`](super::thread::ThreadIndex2) |
//! | [`RawSlice`] | nothing: every access is `unsafe` | none |
//!
//! # Why two threads never hold `&mut` to the same element
//! 1. A view is neither `Copy` nor `Clone`, and a thread receives each of its parameters once, so all `&mut`
//!    that one thread gets from a view borrow one value: never two at a time.
//! 2. Only `thread::index` and `thread::index_2d` make witnesses, and distinct threads of a launch get distinct
//!    ones. A witness does not leave its thread.
//! 3. The map from witness to elements is fixed by the type of the view and by numbers that the host wrote into
//!    it (length, columns, pitch), the same for every thread of the launch; and for distinct witnesses it gives
//!    disjoint elements. A type has one map, so a buffer that is passed once is read through one map; the host
//!    borrows it mutably for the launch, so it is not passed twice.
//! 4. Launches on one stream run one after the other, and the host orders launches on different streams that
//!    touch the same buffer.
//!
//! No method makes a view of a part with bounds computed by the thread: that would give one element two owners.

mod chunks;
mod grid;
mod raw;
mod slice;

pub use chunks::DisjointChunks;
pub use grid::{DisjointGrid, Shape2};
pub use raw::RawSlice;
pub use slice::{DisjointSlice, Strided};

/// The first word of a view: on the GPU a reference to nothing, which tells LLVM that the address is not null
/// and that no other parameter reaches the same memory.
#[cfg(target_arch = "nvptx64")]
pub(crate) type ViewPtr<'a, T> = &'a mut [T; 0];
/// The first word of a view: on the CPU a plain address, since many simulated threads hold it at once.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) type ViewPtr<'a, T> = *mut T;

/// Returns the address in the first word of a view.
#[inline(always)]
pub(crate) fn address<'a, T: 'a>(ptr: ViewPtr<'a, T>) -> *mut T {
    #[cfg(target_arch = "nvptx64")]
    let ptr = ptr.as_mut_ptr();
    ptr
}

/// Borrows element `i` behind `ptr`.
///
/// # Safety
/// 1. The element lies in live memory, and nothing writes it during `'s`.
#[inline(always)]
unsafe fn element<'s, T>(ptr: *mut T, i: usize) -> &'s T {
    // SAFETY: the caller's duty.
    let element = unsafe { ptr.add(i) };
    // SAFETY: the caller's duty.
    unsafe { &*element }
}

/// Borrows element `i` behind `ptr` for writing.
///
/// # Safety
/// 1. The element lies in live memory, and nothing else reaches it during `'s`.
#[inline(always)]
unsafe fn element_mut<'s, T>(ptr: *mut T, i: usize) -> &'s mut T {
    // SAFETY: the caller's duty.
    let element = unsafe { ptr.add(i) };
    // SAFETY: the caller's duty.
    unsafe { &mut *element }
}
