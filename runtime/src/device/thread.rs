//! Where the calling thread stands, and the witnesses that let it write what is its own.
//!
//! [`index`] and [`index_2d`] return *witnesses*: values that only this module can make, that cannot be copied,
//! cloned or sent to another thread, and that say which element of a view belongs to the thread that holds
//! one. A view hands out `&mut` only against a witness of its own space, so no two threads of a launch can
//! hold `&mut` to the same element. Everything else here is plain numbers.
//!
//! ```
//! use warpweft::prelude::*;
//!
//! #[kernel]
//! fn double(x: &[f32], mut y: DisjointSlice<f32>) {
//!     let i = thread::index();
//!     if let Some(y) = y.get_mut(&i) {
//!         *y = 2.0 * x[&i];
//!     }
//! }
//!
//! fn main() -> warpweft::Result<()> {
//!     let stream = Device::any()?.stream()?;
//!     let (x, mut y) = (stream.upload(&[1.0_f32, 2.0, 3.0])?, stream.zeros::<f32>(3)?);
//!     double::launch(&stream, Grid::cover(3), &x, &mut y)?;
//!     assert_eq!(stream.download(&y)?, [2.0, 4.0, 6.0]);
//!     Ok(())
//! }
//! ```

use core::marker::PhantomData;
use core::ops::Index;

use super::backend;

/// The calling thread's rank over the whole grid: the witness of one-dimensional views.
///
/// Blocks are counted x first, then y, then z, and in each block its threads in the same order. No two threads
/// of a launch have the same rank, whatever the shape of grid and block.
///
/// A witness stays with its thread: it is neither `Copy` nor `Clone` nor `Send`.
/// ```compile_fail,E0277
/// fn send<T: Send>(_: T) {}
/// send(warpweft::device::thread::index());
/// ```
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadIndex {
    rank: u64,
    of_this_thread: PhantomData<*mut ()>,
}

impl ThreadIndex {
    /// Returns the rank as a number: for arithmetic and for reading.
    #[inline(always)]
    pub fn get(&self) -> usize {
        self.rank as usize
    }

    /// Returns the rank, to reach what is the calling thread's own.
    ///
    /// On the CPU, where code can reach a `thread_local!` that many simulated threads have in common, it panics for
    /// the witness of another thread. (For one with the same rank in another launch there is no need to: what it
    /// leads to depends on the view and on the rank only.)
    #[inline(always)]
    #[track_caller]
    pub(crate) fn own(&self) -> u64 {
        #[cfg(not(target_arch = "nvptx64"))]
        if self.rank != backend::grid_rank() {
            not_own()
        }
        self.rank
    }
}

/// The calling thread's row and column over the whole grid: the witness of two-dimensional views.
///
/// The column runs along x, the row along y. In a grid or block that also extends along z, only the threads
/// with z = 0 own an element; for the others a view returns `None`.
#[derive(Debug, PartialEq, Eq)]
pub struct ThreadIndex2 {
    row: u64,
    column: u64,
    owner: bool,
    of_this_thread: PhantomData<*mut ()>,
}

impl ThreadIndex2 {
    /// Returns the row, along y.
    #[inline(always)]
    pub fn row(&self) -> usize {
        self.row as usize
    }

    /// Returns the column, along x.
    #[inline(always)]
    pub fn column(&self) -> usize {
        self.column as usize
    }

    /// Returns whether this thread owns its place: false for all but one of the threads along z.
    ///
    /// On the CPU it panics for the witness of another thread, as [`ThreadIndex::own`] does.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn owner(&self) -> bool {
        #[cfg(not(target_arch = "nvptx64"))]
        if *self != index_2d() {
            not_own()
        }
        self.owner
    }
}

#[cfg(not(target_arch = "nvptx64"))]
#[cold]
#[inline(never)]
#[track_caller]
fn not_own() -> ! {
    panic!("this index was made by another thread: call `thread::index` in the thread that uses it")
}

/// Returns the calling thread's rank over the whole grid, as the witness of one-dimensional views.
#[inline(always)]
#[track_caller]
pub fn index() -> ThreadIndex {
    ThreadIndex { rank: backend::grid_rank(), of_this_thread: PhantomData }
}

/// Returns the calling thread's row and column over the whole grid, as the witness of two-dimensional views.
#[inline(always)]
#[track_caller]
pub fn index_2d() -> ThreadIndex2 {
    let (thread, block, dim) = (backend::thread_idx(), backend::block_idx(), backend::block_dim());
    // A grid has fewer than 2^31 blocks along an axis and a block at most 1024 threads: no overflow.
    let along =
        |axis: usize| (block[axis] as u64).wrapping_mul(dim[axis] as u64).wrapping_add(thread[axis] as u64);
    ThreadIndex2 {
        row: along(1),
        column: along(0),
        owner: (block[2] | thread[2]) == 0,
        of_this_thread: PhantomData,
    }
}

/// Returns the position of the thread in its block along x, y and z.
#[inline(always)]
#[track_caller]
pub fn idx() -> [u32; 3] {
    backend::thread_idx()
}

/// Returns the position of the block in the grid along x, y and z.
#[inline(always)]
#[track_caller]
pub fn block_idx() -> [u32; 3] {
    backend::block_idx()
}

/// Returns the size of a block in threads along x, y and z.
#[inline(always)]
#[track_caller]
pub fn block_dim() -> [u32; 3] {
    backend::block_dim()
}

/// Returns the size of the grid in blocks along x, y and z.
#[inline(always)]
#[track_caller]
pub fn grid_dim() -> [u32; 3] {
    backend::grid_dim()
}

/// Returns the rank of the thread in its block, counted x first, then y, then z.
#[inline(always)]
#[track_caller]
pub fn rank() -> u32 {
    backend::thread_rank()
}

/// Returns the number of threads of a block.
#[inline(always)]
#[track_caller]
pub fn block_threads() -> u32 {
    let [x, y, z] = backend::block_dim();
    x.wrapping_mul(y).wrapping_mul(z)
}

/// Returns the number of threads of the grid.
#[inline(always)]
#[track_caller]
pub fn grid_threads() -> u64 {
    let [x, y, z] = backend::grid_dim();
    // The launcher refuses grids of 2^63 threads and more.
    (x as u64).wrapping_mul(y as u64).wrapping_mul(z as u64).wrapping_mul(block_threads() as u64)
}

/// Returns the position of the thread in its warp, 0 to 31.
#[inline(always)]
#[track_caller]
pub fn lane() -> u32 {
    backend::lane_id()
}

/// Returns the number of the thread's warp in its block.
#[inline(always)]
#[track_caller]
pub fn warp() -> u32 {
    backend::thread_rank() / 32
}

/// Reads the element at the thread's rank. Panics behind the end.
impl<T> Index<&ThreadIndex> for [T] {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: &ThreadIndex) -> &T {
        // Not `self[..]`: the panic of core takes the numbers along in a stack frame, which every kernel would pay for.
        match self.get(index.get()) {
            Some(element) => element,
            None => behind_the_end(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn behind_the_end() -> ! {
    panic!("the thread's rank is behind the end of the slice; use `get`, or a grid of fewer threads")
}
