//! What an OS thread knows about the simulated thread that it is running.

use std::cell::Cell;
use std::ptr;

use corosensei::Yielder;

use super::block::Block;

/// The value of an index outside any launch: no index reaches it.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// A coroutine's own record of itself, which lies on its stack.
pub(super) struct Runner {
    pub id: u32,
    pub yielder: *const Yielder<(), ()>,
}

/// The simulated thread now running on this OS thread. Written at every switch, read by device functions.
///
/// The fields of the thread are restored by the thread itself when it goes on after waiting, those of the block
/// are written by the scheduler when it turns to another block, and all of them are put back when a launch ends.
#[derive(Clone)]
pub(super) struct Current {
    /// Rank of the thread in its block, x fastest; [`OUTSIDE`] outside any launch.
    pub rank: Cell<u32>,
    pub x: Cell<u32>,
    pub y: Cell<u32>,
    pub z: Cell<u32>,
    /// The thread has taken leave of its runner's loop: see [`Block::take_leave`].
    pub apart: Cell<bool>,
    /// Waiting threads that are resumed have to end: what they wait for can never come.
    pub cancel: Cell<bool>,
    /// A panic was seen and its unwinding may not be over.
    pub unwinding: Cell<bool>,
    pub runner: Cell<*const Runner>,
    pub block: Cell<*const Block>,
    /// Rank, over the whole grid, of the block's first thread.
    pub first_rank: Cell<u64>,
    pub shared_base: Cell<*mut u8>,
    pub shared_bytes: Cell<u32>,
    pub block_idx: Cell<[u32; 3]>,
    pub block_dim: Cell<[u32; 3]>,
    pub grid_dim: Cell<[u32; 3]>,
}

const NOWHERE: Current = Current {
    rank: Cell::new(OUTSIDE),
    x: Cell::new(OUTSIDE),
    y: Cell::new(OUTSIDE),
    z: Cell::new(OUTSIDE),
    apart: Cell::new(false),
    cancel: Cell::new(false),
    unwinding: Cell::new(false),
    runner: Cell::new(ptr::null()),
    block: Cell::new(ptr::null()),
    first_rank: Cell::new(u64::MAX),
    shared_base: Cell::new(ptr::null_mut()),
    shared_bytes: Cell::new(0),
    block_idx: Cell::new([OUTSIDE; 3]),
    block_dim: Cell::new([0; 3]),
    grid_dim: Cell::new([0; 3]),
};

thread_local! {
    pub(super) static CURRENT: Current = const { NOWHERE };
}

impl Current {
    /// Calls `f` with a simulated thread being nobody, and puts the present one back afterwards.
    pub fn isolated<R>(f: impl FnOnce(&Current) -> R) -> R {
        struct Restore<'a>(&'a Current, Current);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                self.0.assign(&self.1);
            }
        }
        CURRENT.with(|current| {
            let _restore = Restore(current, current.clone());
            current.assign(&NOWHERE);
            f(current)
        })
    }

    fn assign(&self, other: &Current) {
        let Current { rank, x, y, z, apart, cancel, unwinding, runner, block, .. } = other;
        let Current { first_rank, shared_base, shared_bytes, block_idx, block_dim, grid_dim, .. } = other;
        self.rank.set(rank.get());
        self.x.set(x.get());
        self.y.set(y.get());
        self.z.set(z.get());
        self.apart.set(apart.get());
        self.cancel.set(cancel.get());
        self.unwinding.set(unwinding.get());
        self.runner.set(runner.get());
        self.block.set(block.get());
        self.first_rank.set(first_rank.get());
        self.shared_base.set(shared_base.get());
        self.shared_bytes.set(shared_bytes.get());
        self.block_idx.set(block_idx.get());
        self.block_dim.set(block_dim.get());
        self.grid_dim.set(grid_dim.get());
    }

    /// Tells whether a simulated thread is running.
    #[inline(always)]
    pub fn is_inside(&self) -> bool {
        self.rank.get() != OUTSIDE
    }

    /// Index of the thread in its block.
    pub fn thread(&self) -> [u32; 3] {
        [self.x.get(), self.y.get(), self.z.get()]
    }

    /// Parks the running thread: returns when the scheduler resumes it.
    ///
    /// Inlined into the kernel: a call between the switch and the kernel's frame would make the processor
    /// mispredict returns.
    ///
    /// # Safety
    /// 1. A simulated thread is running, and it stands in a queue from which it will be resumed.
    #[inline(always)]
    pub unsafe fn park(&self) {
        let [rank, x, y, z] = [self.rank.get(), self.x.get(), self.y.get(), self.z.get()];
        let runner = self.runner.get();
        // SAFETY: a thread is running (duty 1), so the record of its runner lies on the stack that we are on.
        let yielder = unsafe { (*runner).yielder };
        // SAFETY: the yielder belongs to the coroutine that we are on, and lives as long as its stack.
        let yielder = unsafe { &*yielder };
        yielder.suspend(());
        self.rank.set(rank);
        self.x.set(x);
        self.y.set(y);
        self.z.set(z);
        self.apart.set(true);
        self.runner.set(runner);
    }
}
