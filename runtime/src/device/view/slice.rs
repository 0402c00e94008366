//! One element per thread, and the same in strides of the whole grid.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use super::{ViewPtr, address, element, element_mut};
use crate::device::thread::{self, ThreadIndex};
use crate::param::{Element, KernelParam};

/// A slice of global memory in which every thread writes its own element.
///
/// Of `n` threads, the one with rank `r` owns the elements `r`, `r + n`, `r + 2 n`, and so on:
/// [`get_mut`](Self::get_mut) gives the first of them, [`strided`](Self::strided) all. The host passes a
/// `&mut` buffer.
/// ```
/// use warpweft::prelude::*;
///
/// #[kernel]
/// fn scale(a: f32, mut y: DisjointSlice<f32>) {
///     for (_, y) in y.strided(&thread::index()) {
///         *y *= a;
///     }
/// }
///
/// fn main() -> warpweft::Result<()> {
///     let stream = Device::any()?.stream()?;
///     let mut y = stream.upload(&vec![1.5_f32; 1000])?;
///     scale::launch(&stream, Grid::new(2, 64), 2.0, &mut y)?; // 128 threads for 1000 elements
///     assert_eq!(stream.download(&y)?, vec![3.0; 1000]);
///     Ok(())
/// }
/// ```
pub struct DisjointSlice<'a, T> {
    ptr: *mut T,
    len: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> DisjointSlice<'_, T> {
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

    /// Reads this thread's element in place, or returns `None` for a rank behind the end.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: &ThreadIndex) -> Option<&T> {
        if index.own() < self.len as u64 {
            // SAFETY: in bounds by the test; only this thread writes the element (module docs), and `self` is borrowed.
            Some(unsafe { element(self.ptr, index.get()) })
        } else {
            None
        }
    }

    /// Borrows this thread's element for writing, or returns `None` for a rank behind the end.
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: &ThreadIndex) -> Option<&mut T> {
        if index.own() < self.len as u64 {
            // SAFETY: in bounds by the test; only this thread reaches the element (module docs), and `self` is
            // borrowed mutably.
            Some(unsafe { element_mut(self.ptr, index.get()) })
        } else {
            None
        }
    }

    /// Iterates over all elements of this thread, as pairs of position and element.
    ///
    /// The elements are a grid apart, so a grid of any size covers a slice of any length, and neighbouring
    /// threads touch neighbouring elements.
    #[inline(always)]
    #[track_caller]
    pub fn strided(&mut self, index: &ThreadIndex) -> Strided<'_, T> {
        Strided {
            ptr: self.ptr,
            next: index.own(),
            step: thread::grid_threads(),
            len: self.len as u64,
            memory: PhantomData,
        }
    }
}

/// This thread's element. Panics for a rank behind the end.
impl<T> Index<&ThreadIndex> for DisjointSlice<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: &ThreadIndex) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => behind_the_end(),
        }
    }
}

/// This thread's element. Panics for a rank behind the end.
impl<T> IndexMut<&ThreadIndex> for DisjointSlice<'_, T> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: &ThreadIndex) -> &mut T {
        match self.get_mut(index) {
            Some(element) => element,
            None => behind_the_end(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn behind_the_end() -> ! {
    panic!("the thread's rank is behind the end of the slice; use `get_mut`, or a grid of fewer threads")
}

/// The elements of one thread in a [`DisjointSlice`]: see [`DisjointSlice::strided`].
pub struct Strided<'s, T> {
    ptr: *mut T,
    next: u64,
    step: u64,
    len: u64,
    memory: PhantomData<&'s mut [T]>,
}

impl<'s, T> Iterator for Strided<'s, T> {
    type Item = (usize, &'s mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.len {
            return None;
        }
        let position = self.next as usize;
        // A grid has fewer than 2^63 threads and a slice fewer than 2^63 elements: no overflow.
        self.next = self.next.wrapping_add(self.step);
        // SAFETY: in bounds by the test; `position` is this thread's rank plus a multiple of the number of threads,
        // so no other thread reaches it, and this iterator, which holds the view's borrow, gives each position once.
        Some((position, unsafe { element_mut(self.ptr, position) }))
    }
}

// SAFETY: the words are address and length of a buffer that the host lends mutably for the launch.
unsafe impl<'a, T: Element> KernelParam for DisjointSlice<'a, T> {
    type Ptr = ViewPtr<'a, T>;
    type Meta = usize;

    #[inline(always)]
    unsafe fn from_abi(ptr: Self::Ptr, len: usize) -> Self {
        DisjointSlice { ptr: address(ptr), len, memory: PhantomData }
    }
}
