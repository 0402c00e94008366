//! What an OS thread knows about the simulated thread that it is running.

use std::cell::Cell;

/// The value of an index outside any launch: no index reaches it.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The simulated thread now running on this OS thread. Written at every switch, read by device functions.
pub(super) struct Current {
    /// Index of the thread in its block, and its rank (x fastest).
    pub thread: Cell<[u32; 4]>,
    /// Rank, over the whole grid, of the block's first thread.
    pub first_rank: Cell<u64>,
    pub block_idx: Cell<[u32; 3]>,
    pub block_dim: Cell<[u32; 3]>,
    pub grid_dim: Cell<[u32; 3]>,
    pub shared_base: Cell<*mut u8>,
    pub shared_bytes: Cell<u32>,
}

thread_local! {
    pub(super) static CURRENT: Current = const {
        Current {
            thread: Cell::new([OUTSIDE; 4]),
            first_rank: Cell::new(u64::MAX),
            block_idx: Cell::new([OUTSIDE; 3]),
            block_dim: Cell::new([0; 3]),
            grid_dim: Cell::new([0; 3]),
            shared_base: Cell::new(std::ptr::null_mut()),
            shared_bytes: Cell::new(0),
        }
    };
}
