//! Global memory without owners: bounds-checked, otherwise as the hardware has it.

use core::marker::PhantomData;

use crate::device::{Access, backend};
use crate::param::{Element, KernelParam};

/// A slice of global memory that any thread may read and write at any time, which is `unsafe`.
///
/// An index outside panics. The host passes a `&mut` buffer.
/// ```
/// use warpweft::prelude::*;
///
/// /// Swaps the halves of every pair.
/// #[kernel]
/// fn swap_pairs(x: RawSlice<u32>) {
///     let i = 2 * thread::index().get();
///     if i + 1 < x.len() {
///         // SAFETY: no other thread has the same `i`, so no other accesses the pair.
///         let (a, b) = unsafe { (x.load(i), x.load(i + 1)) };
///         // SAFETY: as above.
///         unsafe { x.store(i, b) };
///         // SAFETY: as above.
///         unsafe { x.store(i + 1, a) };
///     }
/// }
///
/// fn main() -> warpweft::Result<()> {
///     let stream = Device::any()?.stream()?;
///     let mut x = stream.upload(&[1, 2, 3, 4, 5])?;
///     swap_pairs::launch(&stream, Grid::cover(2), &mut x)?;
///     assert_eq!(stream.download(&x)?, [2, 1, 4, 3, 5]);
///     Ok(())
/// }
/// ```
pub struct RawSlice<'a, T> {
    ptr: *mut T,
    len: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> Clone for RawSlice<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawSlice<'_, T> {}

impl<T: Element> RawSlice<'_, T> {
    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first element.
    #[inline(always)]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Returns the address of element `i`.
    #[inline(always)]
    #[track_caller]
    fn at(&self, i: usize, kind: Access) -> *mut T {
        if i >= self.len {
            outside()
        }
        // SAFETY: in bounds by the test.
        let address = unsafe { self.ptr.add(i) };
        backend::access(address, kind);
        address
    }

    /// Reads element `i`.
    ///
    /// # Safety
    /// 1. No other thread writes the element at the same time: between the barriers around this, for a thread of the
    ///    block, and in the whole launch, for others.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn load(&self, i: usize) -> T {
        // SAFETY: in bounds; every bit pattern is a value; the caller vouches that no thread writes it.
        unsafe { self.at(i, Access::Load).read() }
    }

    /// Writes element `i`.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element at the same time, as for [`load`](Self::load).
    #[inline(always)]
    #[track_caller]
    pub unsafe fn store(&self, i: usize, value: T) {
        // SAFETY: in bounds; the caller vouches that no other thread accesses it.
        unsafe { self.at(i, Access::Store).write(value) }
    }

    /// Replaces element `i` by what `change` makes of it, and returns the new value.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element at the same time, as for [`load`](Self::load).
    #[inline(always)]
    #[track_caller]
    pub unsafe fn update(&self, i: usize, change: impl FnOnce(T) -> T) -> T {
        // SAFETY: the caller's duty.
        let value = change(unsafe { self.load(i) });
        // SAFETY: the caller's duty.
        unsafe { self.store(i, value) };
        value
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside() -> ! {
    panic!("an index is outside the slice")
}

// SAFETY: the words are address and length of a buffer that the host lends mutably for the launch. The first word is
// a plain pointer: any thread may write through it, so `noalias` would be false.
unsafe impl<T: Element> KernelParam for RawSlice<'_, T> {
    type Ptr = *mut T;
    type Meta = usize;

    #[inline(always)]
    unsafe fn from_abi(ptr: *mut T, len: usize) -> Self {
        RawSlice { ptr, len, memory: PhantomData }
    }
}
