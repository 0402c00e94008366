//! One element per thread in two dimensions.

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use super::{ViewPtr, address, element, element_mut};
use crate::device::thread::ThreadIndex2;
use crate::param::{Element, KernelParam};

/// The shape of a two-dimensional view, written by the host: second word of [`DisjointGrid`].
///
/// The view is valid only where `columns <= pitch` and the last element, `(rows - 1) * pitch + columns - 1`, lies
/// in the buffer; the host checks both.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape2 {
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub columns: usize,
    /// Elements from the start of one row to the start of the next; at least `columns`.
    pub pitch: usize,
}

/// A matrix in global memory in which every thread writes the element at its own row and column.
///
/// The number of columns and the pitch belong to the view and are written by the host. A width that a thread
/// could choose would give one element two owners.
/// ```
/// use warpweft::prelude::*;
///
/// #[kernel]
/// fn gradient(mut out: DisjointGrid<f32>) {
///     let i = thread::index_2d();
///     if let Some(out) = out.get_mut(&i) {
///         *out = i.row() as f32 + 0.5 * i.column() as f32;
///     }
/// }
///
/// fn main() -> warpweft::Result<()> {
///     let stream = Device::any()?.stream()?;
///     let mut out = stream.zeros::<f32>(6)?;
///     gradient::launch(&stream, Grid::new((1, 1), (16, 16)), out.grid_mut(2, 3)?)?;
///     assert_eq!(stream.download(&out)?, [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]);
///     Ok(())
/// }
/// ```
pub struct DisjointGrid<'a, T> {
    ptr: *mut T,
    shape: Shape2,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> DisjointGrid<'_, T> {
    /// Returns the number of rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.shape.rows
    }

    /// Returns the number of elements of a row.
    #[inline(always)]
    pub fn columns(&self) -> usize {
        self.shape.columns
    }

    /// Returns the position of this thread's element behind `ptr`.
    #[inline(always)]
    #[track_caller]
    fn position(&self, index: &ThreadIndex2) -> Option<usize> {
        let inside = index.owner() && index.row() < self.shape.rows && index.column() < self.shape.columns;
        // Inside the shape, whose last element lies in the buffer: no overflow.
        inside.then(|| index.row().wrapping_mul(self.shape.pitch).wrapping_add(index.column()))
    }

    /// Reads this thread's element in place, or returns `None` outside the matrix.
    #[inline(always)]
    #[track_caller]
    pub fn get(&self, index: &ThreadIndex2) -> Option<&T> {
        let position = self.position(index)?;
        // SAFETY: inside the shape; only this thread writes the element (module docs), and `self` is borrowed.
        Some(unsafe { element(self.ptr, position) })
    }

    /// Borrows this thread's element for writing, or returns `None` outside the matrix.
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: &ThreadIndex2) -> Option<&mut T> {
        let position = self.position(index)?;
        // SAFETY: inside the shape; since `column < columns <= pitch`, distinct places have distinct positions, and
        // only this thread holds the witness of this place; `self` is borrowed mutably.
        Some(unsafe { element_mut(self.ptr, position) })
    }
}

/// This thread's element. Panics outside the matrix.
impl<T> Index<&ThreadIndex2> for DisjointGrid<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: &ThreadIndex2) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => outside(),
        }
    }
}

/// This thread's element. Panics outside the matrix.
impl<T> IndexMut<&ThreadIndex2> for DisjointGrid<'_, T> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: &ThreadIndex2) -> &mut T {
        match self.get_mut(index) {
            Some(element) => element,
            None => outside(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside() -> ! {
    panic!("the thread's place is outside the matrix; use `get_mut`, or a grid of fewer threads")
}

// SAFETY: the words are the address of a buffer that the host lends mutably for the launch, and a `repr(C)` shape
// of which the host checked that it lies in the buffer.
unsafe impl<'a, T: Element> KernelParam for DisjointGrid<'a, T> {
    type Ptr = ViewPtr<'a, T>;
    type Meta = Shape2;

    #[inline(always)]
    unsafe fn from_abi(ptr: Self::Ptr, shape: Shape2) -> Self {
        DisjointGrid { ptr: address(ptr), shape, memory: PhantomData }
    }
}
