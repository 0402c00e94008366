//! What a thread may write in an interval: its own elements.

use core::marker::PhantomData;

use super::{Place, backend};

/// The elements of an array in shared memory that belong to the calling thread: element i belongs to the thread whose
/// rank in the block is i modulo the number of threads of the block.
pub struct Own<'p, T> {
    place: Place,
    len: usize,
    phase: PhantomData<&'p mut [T]>,
}

impl<'p, T> Own<'p, T> {
    #[inline(always)]
    pub(super) fn new(place: Place, len: usize) -> Self {
        Own { place, len, phase: PhantomData }
    }

    /// Returns the number of elements of the array, over all threads.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the array has no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Borrows the element at the thread's rank, or returns `None` for a rank behind the end.
    #[inline(always)]
    pub fn mine(&mut self) -> Option<&mut T> {
        self.nth(0)
    }

    /// Borrows the element at the thread's rank plus `k` times the number of threads of the block, or returns `None`
    /// behind the end.
    #[inline(always)]
    pub fn nth(&mut self, k: u32) -> Option<&mut T> {
        let mut own = OwnIter::new(self.place, self.len);
        // At most 2^32 * 2^10 + 2^10: no overflow.
        own.next += k as u64 * own.step;
        own.next().map(|(_, element)| element)
    }

    /// Writes `value` to the element at the thread's rank, if there is one.
    #[inline(always)]
    pub fn set(&mut self, value: T)
    where
        T: Copy,
    {
        let rank = backend::thread_rank() as usize;
        if rank < self.len {
            // SAFETY: in bounds by the test; no other thread has this rank, and `self` is borrowed mutably.
            let mine = unsafe { self.place.element(rank) };
            *mine = value;
        }
    }

    /// Writes `value(position)` to each element of this thread. Faster on the GPU than a loop over
    /// [`iter_mut`](Self::iter_mut), of which LLVM compares each address with null.
    #[inline(always)]
    pub fn set_each(&mut self, mut value: impl FnMut(usize) -> T)
    where
        T: Copy,
    {
        let OwnIter { mut next, step, len, .. } = OwnIter::<T>::new(self.place, self.len);
        while next < len {
            let value = value(next as usize);
            // SAFETY: in bounds by the test; the position is the thread's rank plus a multiple of the block's size, so no
            // other thread reaches it, and `self` is borrowed mutably.
            let element = unsafe { self.place.element(next as usize) };
            *element = value;
            next = next.wrapping_add(step);
        }
    }

    /// Iterates over all elements of this thread, as pairs of position in the array and element.
    #[inline(always)]
    pub fn iter_mut(&mut self) -> OwnIter<'_, T> {
        OwnIter::new(self.place, self.len)
    }
}

/// The elements of one thread in an array, with their positions: see [`Own::iter_mut`].
pub struct OwnIter<'s, T> {
    place: Place,
    next: u64,
    step: u64,
    len: u64,
    phase: PhantomData<&'s mut [T]>,
}

impl<T> OwnIter<'_, T> {
    #[inline(always)]
    fn new(place: Place, len: usize) -> Self {
        let [x, y, z] = backend::block_dim();
        OwnIter {
            place,
            next: backend::thread_rank() as u64,
            step: x as u64 * y as u64 * z as u64,
            len: len as u64,
            phase: PhantomData,
        }
    }
}

impl<'s, T> Iterator for OwnIter<'s, T> {
    type Item = (usize, &'s mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.len {
            return None;
        }
        let position = self.next as usize;
        // Shared memory is small and a block has at most 1024 threads: no overflow.
        self.next = self.next.wrapping_add(self.step);
        // SAFETY: in bounds by the test; `position` is the thread's rank plus a multiple of the block's size, so no
        // other thread reaches it; this iterator, which holds the handle's borrow, gives each position once.
        Some((position, unsafe { self.place.element(position) }))
    }
}

/// The elements of a [`Tile`](super::Tile) that belong to the calling thread: the one in row r and column c belongs to
/// the thread at y = r modulo the block's size along y, x = c modulo its size along x, and z = 0.
pub struct OwnTile<'p, T, const ROWS: usize, const COLUMNS: usize> {
    place: Place,
    phase: PhantomData<&'p mut [T]>,
}

impl<'p, T, const ROWS: usize, const COLUMNS: usize> OwnTile<'p, T, ROWS, COLUMNS> {
    #[inline(always)]
    pub(super) fn new(place: Place) -> Self {
        OwnTile { place, phase: PhantomData }
    }

    /// Borrows the element in row y and column x of the thread's position in its block, or returns `None` outside.
    #[inline(always)]
    pub fn mine(&mut self) -> Option<&mut T> {
        self.nth(0, 0)
    }

    /// Borrows the element `down` block heights below and `right` block widths to the right of the thread's first, or
    /// returns `None` outside.
    #[inline(always)]
    pub fn nth(&mut self, down: u32, right: u32) -> Option<&mut T> {
        let ([x, y, z], [width, height, _]) = (backend::thread_idx(), backend::block_dim());
        // At most 2^10 + 2^32 * 2^10: no overflow.
        let row = y as u64 + down as u64 * height as u64;
        let column = x as u64 + right as u64 * width as u64;
        if z == 0 && row < ROWS as u64 && column < COLUMNS as u64 {
            let position = row as usize * COLUMNS + column as usize;
            // SAFETY: in bounds by the test; the place belongs to this thread alone, and `self` is borrowed mutably.
            Some(unsafe { self.place.element(position) })
        } else {
            None
        }
    }

    /// Writes `value` to the element at the thread's position in its block, if there is one.
    #[inline(always)]
    pub fn set(&mut self, value: T)
    where
        T: Copy,
    {
        let [x, y, z] = backend::thread_idx().map(|i| i as usize);
        if z == 0 && y < ROWS && x < COLUMNS {
            // SAFETY: in bounds by the test; the place belongs to this thread alone, and `self` is borrowed mutably.
            let mine = unsafe { self.place.element(y * COLUMNS + x) };
            *mine = value;
        }
    }

    /// Iterates over all elements of this thread, row by row, as pairs of (row, column) and element.
    #[inline(always)]
    pub fn iter_mut(&mut self) -> OwnTileIter<'_, T, ROWS, COLUMNS> {
        let ([x, y, z], [width, height, _]) = (backend::thread_idx(), backend::block_dim());
        OwnTileIter {
            place: self.place,
            row: if z == 0 { y as usize } else { ROWS },
            column: x as usize,
            first_column: x as usize,
            width: width as usize,
            height: height as usize,
            phase: PhantomData,
        }
    }
}

/// The elements of one thread in a tile, with their places: see [`OwnTile::iter_mut`].
pub struct OwnTileIter<'s, T, const ROWS: usize, const COLUMNS: usize> {
    place: Place,
    row: usize,
    column: usize,
    first_column: usize,
    width: usize,
    height: usize,
    phase: PhantomData<&'s mut [T]>,
}

impl<'s, T, const ROWS: usize, const COLUMNS: usize> Iterator for OwnTileIter<'s, T, ROWS, COLUMNS> {
    type Item = ((usize, usize), &'s mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.row >= ROWS || self.first_column >= COLUMNS {
            return None;
        }
        let (row, column) = (self.row, self.column);
        self.column += self.width;
        if self.column >= COLUMNS {
            self.column = self.first_column;
            self.row += self.height;
        }
        // SAFETY: `row < ROWS` by the test, `column < COLUMNS` by the wrap; the place belongs to this thread alone, and
        // this iterator, which holds the handle's borrow, gives each place once.
        let element = unsafe { self.place.element(row * COLUMNS + column) };
        Some(((row, column), element))
    }
}
