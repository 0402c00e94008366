//! Shared memory without phases: bounds-checked, otherwise as the hardware has it.

use core::marker::PhantomData;

use super::{Place, backend};
use crate::device::Access;
use crate::param::Element;

/// An array in shared memory that any thread may read and write at any time, which is `unsafe`.
///
/// An index outside panics. Memory that was never written holds an unspecified value.
pub struct RawShared<'b, T> {
    place: Place,
    len: usize,
    block: PhantomData<&'b mut [T]>,
}

impl<T> Clone for RawShared<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawShared<'_, T> {}

impl<T: Element> RawShared<'_, T> {
    #[inline(always)]
    pub(super) fn new(place: Place, len: usize) -> Self {
        RawShared { place, len, block: PhantomData }
    }

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
        self.place.pointer()
    }

    /// Returns the address of element `i`.
    #[inline(always)]
    #[track_caller]
    fn at(&self, i: usize, kind: Access) -> *mut T {
        if i >= self.len {
            outside()
        }
        let address = self.as_mut_ptr().wrapping_add(i);
        backend::access(address, kind);
        address
    }

    /// Reads element `i`.
    ///
    /// # Safety
    /// 1. No other thread writes the element between the barriers around this.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn load(&self, i: usize) -> T {
        // SAFETY: in bounds; every bit pattern is a value; the caller vouches that no thread writes it.
        unsafe { self.at(i, Access::Load).read() }
    }

    /// Writes element `i`.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element between the barriers around this.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn store(&self, i: usize, value: T) {
        // SAFETY: in bounds; the caller vouches that no other thread accesses it.
        unsafe { self.at(i, Access::Store).write(value) }
    }

    /// Replaces element `i` by what `change` makes of it, and returns the new value.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element between the barriers around this.
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

/// A matrix in shared memory that any thread may read and write at any time, which is `unsafe`.
///
/// A row or column outside panics. Memory that was never written holds an unspecified value.
pub struct RawTile<'b, T, const ROWS: usize, const COLUMNS: usize> {
    place: Place,
    block: PhantomData<&'b mut [T]>,
}

impl<T, const ROWS: usize, const COLUMNS: usize> Clone for RawTile<'_, T, ROWS, COLUMNS> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const ROWS: usize, const COLUMNS: usize> Copy for RawTile<'_, T, ROWS, COLUMNS> {}

impl<T: Element, const ROWS: usize, const COLUMNS: usize> RawTile<'_, T, ROWS, COLUMNS> {
    #[inline(always)]
    pub(super) fn new(place: Place) -> Self {
        RawTile { place, block: PhantomData }
    }

    /// Returns the address of the element in row 0 and column 0.
    #[inline(always)]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.place.pointer()
    }

    /// Returns the address of an element.
    #[inline(always)]
    #[track_caller]
    fn at(&self, row: usize, column: usize, kind: Access) -> *mut T {
        if row >= ROWS || column >= COLUMNS {
            outside()
        }
        let address = self.as_mut_ptr().wrapping_add(row * COLUMNS + column);
        backend::access(address, kind);
        address
    }

    /// Reads the element in `row` and `column`.
    ///
    /// # Safety
    /// 1. No other thread writes the element between the barriers around this.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn load(&self, row: usize, column: usize) -> T {
        // SAFETY: in bounds; every bit pattern is a value; the caller vouches that no thread writes it.
        unsafe { self.at(row, column, Access::Load).read() }
    }

    /// Writes the element in `row` and `column`.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element between the barriers around this.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn store(&self, row: usize, column: usize, value: T) {
        // SAFETY: in bounds; the caller vouches that no other thread accesses it.
        unsafe { self.at(row, column, Access::Store).write(value) }
    }

    /// Replaces the element in `row` and `column` by what `change` makes of it, and returns the new value.
    ///
    /// # Safety
    /// 1. No other thread reads or writes the element between the barriers around this.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn update(&self, row: usize, column: usize, change: impl FnOnce(T) -> T) -> T {
        // SAFETY: the caller's duty.
        let value = change(unsafe { self.load(row, column) });
        // SAFETY: the caller's duty.
        unsafe { self.store(row, column, value) };
        value
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside() -> ! {
    panic!("an index is outside the shared array")
}
