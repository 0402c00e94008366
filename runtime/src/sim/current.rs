//! What an OS thread knows about the simulated thread that it is running.

use std::cell::Cell;
use std::ptr;

use corosensei::Yielder;

use super::block::Block;
use super::check::Checker;

/// The value of an index outside any launch: no index reaches it.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The simulated thread now running on this OS thread. Written at every switch, read by device functions.
///
/// The fields of the thread are restored by the thread itself when it goes on after waiting, those of the block
/// are written by the scheduler when it turns to another block, and all of them are put back when a launch ends.
///
/// The thread's four numbers are two words that do not lie side by side: the compiler would read neighbours with
/// one wide load, which a processor cannot serve from the narrow stores that have just been made.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Current {
    /// Rank of the thread in its block, x fastest, or [`OUTSIDE`] outside any launch; below it the index along z.
    pub rank_z: Cell<u64>,
    /// The thread has taken leave of its runner's loop: see [`Block::take_leave`].
    pub apart: Cell<bool>,
    /// Waiting threads that are resumed have to end: what they wait for can never come.
    pub cancel: Cell<bool>,
    /// The coroutine that runs the thread, and by what it parks itself: written by the scheduler.
    pub runner: Cell<u32>,
    pub yielder: Cell<*const Yielder<(), ()>>,
    pub shared_bytes: Cell<u32>,
    pub block: Cell<*const Block>,
    /// The checker of a checked launch; null in fast mode.
    pub checker: Cell<*const Checker<'static>>,
    /// The thread's index along y, and below it that along x.
    pub yx: Cell<u64>,
    pub block_idx: Cell<[u32; 3]>,
    pub block_dim: Cell<[u32; 3]>,
    pub grid_dim: Cell<[u32; 3]>,
    /// Rank, over the whole grid, of the block's first thread.
    pub first_rank: Cell<u64>,
    pub shared_base: Cell<*mut u8>,
}

/// No simulated thread.
const fn nowhere() -> Current {
    Current {
        rank_z: Cell::new(u64::MAX),
        yx: Cell::new(u64::MAX),
        apart: Cell::new(false),
        cancel: Cell::new(false),
        runner: Cell::new(0),
        yielder: Cell::new(ptr::null()),
        block: Cell::new(ptr::null()),
        checker: Cell::new(ptr::null()),
        first_rank: Cell::new(u64::MAX),
        shared_base: Cell::new(ptr::null_mut()),
        shared_bytes: Cell::new(0),
        block_idx: Cell::new([OUTSIDE; 3]),
        block_dim: Cell::new([0; 3]),
        grid_dim: Cell::new([0; 3]),
    }
}

thread_local! {
    pub(super) static CURRENT: Current = const { nowhere() };
}

impl Current {
    /// The data of this OS thread.
    ///
    /// Always asked for anew, and not passed about, where a kernel is inlined: so the compiler sees that device
    /// functions read what the loop over the threads has just written.
    #[inline(always)]
    pub fn here<'a>() -> &'a Self {
        let current = CURRENT.with(ptr::from_ref);
        // SAFETY: a thread-local without a destructor lives as long as its OS thread. References stay within
        // functions of the simulator, and a simulated thread never leaves its OS thread.
        unsafe { &*current }
    }

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
            current.assign(&nowhere());
            f(current)
        })
    }

    fn assign(&self, other: &Current) {
        let Current { rank_z, yx, apart, cancel, runner, yielder, block, checker, .. } = other;
        let Current { first_rank, shared_base, shared_bytes, block_idx, block_dim, grid_dim, .. } = other;
        self.rank_z.set(rank_z.get());
        self.yx.set(yx.get());
        self.apart.set(apart.get());
        self.cancel.set(cancel.get());
        self.runner.set(runner.get());
        self.yielder.set(yielder.get());
        self.block.set(block.get());
        self.checker.set(checker.get());
        self.first_rank.set(first_rank.get());
        self.shared_base.set(shared_base.get());
        self.shared_bytes.set(shared_bytes.get());
        self.block_idx.set(block_idx.get());
        self.block_dim.set(block_dim.get());
        self.grid_dim.set(grid_dim.get());
    }

    /// The checker, if the launch has one.
    #[inline(always)]
    pub fn checker(&self) -> Option<&Checker<'_>> {
        // SAFETY: null, or the checker of the launch at work, which outlives the launch's threads.
        unsafe { self.checker.get().cast::<Checker<'_>>().as_ref() }
    }

    /// Tells whether a simulated thread is running.
    #[inline(always)]
    pub fn is_inside(&self) -> bool {
        self.rank() != OUTSIDE
    }

    /// Rank of the thread in its block, x fastest; [`OUTSIDE`] outside any launch.
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        (self.rank_z.get() >> 32) as u32
    }

    /// Index of the thread in its block.
    #[inline(always)]
    pub fn thread(&self) -> [u32; 3] {
        let (yx, z) = (self.yx.get(), self.rank_z.get());
        [yx as u32, (yx >> 32) as u32, z as u32]
    }

    /// Makes this the thread of index `x`, `y`, `z`.
    #[inline(always)]
    pub fn set_thread(&self, rank: u32, [x, y, z]: [u32; 3]) {
        self.rank_z.set(u64::from(rank) << 32 | u64::from(z));
        self.yx.set(u64::from(y) << 32 | u64::from(x));
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
        let (rank_z, yx) = (self.rank_z.get(), self.yx.get());
        // SAFETY: a thread is running (duty 1), and the scheduler has set the yielder of the coroutine that runs it.
        let yielder = unsafe { &*self.yielder.get() };
        yielder.suspend(());
        self.rank_z.set(rank_z);
        self.yx.set(yx);
        self.apart.set(true);
    }
}
