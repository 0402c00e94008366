//! Several neighbouring elements per thread.

use core::marker::PhantomData;

use super::{ViewPtr, address};
use crate::device::thread::ThreadIndex;
use crate::param::{Element, KernelParam};

/// A slice of global memory in which every thread writes `N` neighbouring elements.
///
/// The thread with rank `r` owns the elements `r * N` to `r * N + N - 1`. The host passes a `&mut` buffer.
/// ```
/// use warpweft::prelude::*;
///
/// #[kernel]
/// fn polar(angles: &[f32], mut points: DisjointChunks<f32, 2>) {
///     let i = thread::index();
///     if let Some(point) = points.get_array_mut(&i) {
///         *point = [angles[&i].cos(), angles[&i].sin()];
///     }
/// }
///
/// fn main() -> warpweft::Result<()> {
///     let stream = Device::any()?.stream()?;
///     let (angles, mut points) = (stream.upload(&[0.0_f32, 0.0])?, stream.zeros::<f32>(4)?);
///     polar::launch(&stream, Grid::cover(2), &angles, &mut points)?;
///     assert_eq!(stream.download(&points)?, [1.0, 0.0, 1.0, 0.0]);
///     Ok(())
/// }
/// ```
pub struct DisjointChunks<'a, T, const N: usize> {
    ptr: *mut T,
    len: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<T, const N: usize> DisjointChunks<'_, T, N> {
    /// Returns the number of elements, over all threads.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Borrows this thread's elements for writing: `N` of them, fewer in the last chunk of a slice whose length is
    /// not a multiple of `N`, none behind the end.
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: &ThreadIndex) -> &mut [T] {
        let first = (index.own() as usize).saturating_mul(N).min(self.len);
        let count = (self.len - first).min(N);
        // SAFETY: `first <= len`.
        let first_element = unsafe { self.ptr.add(first) };
        // SAFETY: `first + count <= len`; chunks of distinct ranks are disjoint (module docs), where `min` and
        // `saturating_mul` only make a chunk empty; `self` is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(first_element, count) }
    }

    /// Borrows this thread's elements as an array, or returns `None` where fewer than `N` are left.
    #[inline(always)]
    #[track_caller]
    pub fn get_array_mut(&mut self, index: &ThreadIndex) -> Option<&mut [T; N]> {
        self.get_mut(index).as_mut_array()
    }
}

// SAFETY: the words are address and length of a buffer that the host lends mutably for the launch.
unsafe impl<'a, T: Element, const N: usize> KernelParam for DisjointChunks<'a, T, N> {
    type Ptr = ViewPtr<'a, T>;
    type Meta = usize;

    #[inline(always)]
    unsafe fn from_abi(ptr: Self::Ptr, len: usize) -> Self {
        DisjointChunks { ptr: address(ptr), len, memory: PhantomData }
    }
}
