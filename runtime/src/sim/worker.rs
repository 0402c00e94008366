//! An OS thread at work on a launch: it takes blocks and runs their threads as coroutines.
//!
//! A *runner* is a coroutine that loops over the threads of a block. As long as no thread waits, one runner does
//! them all, a plain loop. When a thread must wait, its runner parks with the thread's frames on its stack, and
//! another runner takes up the loop at the next thread.

use std::cell::RefCell;
use std::hint::assert_unchecked;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use corosensei::{Coroutine, Yielder};

use super::block::{Block, MAX_THREADS};
use super::check::Checker;
use super::current::Current;
use super::launch::Launch;
use super::stack::ColouredStack;

/// A launch in which every thread has been in a waiting loop for so long is stuck.
const STUCK: Duration = Duration::from_secs(10);
/// The same once a thread has panicked, for which the others may wait in vain.
const STUCK_AFTER_PANIC: Duration = Duration::from_millis(200);

const STUCK_VERDICT: &str = "every thread of the launch that has not ended has been waiting in a loop or at \
    a barrier for long; blocks that wait for each other must all fit on the device at a time";

/// What an OS thread keeps between launches.
#[derive(Default)]
struct Pool {
    blocks: Vec<Box<Block>>,
    stacks: Vec<ColouredStack>,
}

thread_local! {
    static POOL: RefCell<Vec<Pool>> = const { RefCell::new(Vec::new()) };
}

/// What the runners of a worker share with it.
struct Common<'l, F> {
    launch: &'l Launch<'l>,
    kernel: &'l F,
    current: &'l Current,
    /// Runners with no thread on their stack.
    idle: RefCell<Vec<u32>>,
}

/// A coroutine, and by what it parks itself.
struct Runner {
    coroutine: Coroutine<(), (), (), ColouredStack>,
    /// Null until it has run for the first time.
    yielder: *const Yielder<(), ()>,
}

/// How far a block has come.
#[derive(PartialEq)]
enum State {
    Done,
    /// Every thread that has not ended waits for a write of a thread of this or another block.
    Spinning,
}

/// An OS thread's part in a launch.
pub(super) struct Worker<'l, F> {
    common: Box<Common<'l, F>>,
    runners: Vec<Runner>,
    /// Blocks that spin.
    residents: Vec<Box<Block>>,
    pool: Pool,
    checker: Option<&'l Checker<'l>>,
    /// Blocks claimed and not yet started.
    claimed: std::ops::Range<u64>,
    /// Since when nothing has happened but spinning, and how often any worker's state had changed by then.
    stalled: Option<(u64, Instant)>,
}

impl<'l, F: Fn() + Sync + Copy> Worker<'l, F> {
    pub fn new(
        launch: &'l Launch<'l>,
        kernel: &'l F,
        current: &'l Current,
        checker: Option<&'l Checker<'l>>,
    ) -> Self {
        if let Some(checker) = checker {
            current.checker.set(std::ptr::from_ref(checker).cast());
        }
        current.block_dim.set(launch.spec.block);
        current.grid_dim.set(launch.spec.grid);
        current.shared_bytes.set(launch.spec.shared_bytes as u32);
        let common = Box::new(Common { launch, kernel, current, idle: RefCell::new(Vec::new()) });
        let pool = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
        launch.set_busy(true);
        Self {
            common,
            runners: Vec::new(),
            residents: Vec::new(),
            checker,
            pool,
            claimed: 0..0,
            stalled: None,
        }
    }

    /// Runs blocks until none is left, or, when no block is half done, until `deadline`. Returns whether none is
    /// left.
    pub fn run(&mut self, deadline: Option<Instant>) -> bool {
        loop {
            let next =
                if self.residents.len() < self.common.launch.resident_blocks { self.claim() } else { None };
            if let Some(index) = next {
                self.set_stalled(false);
                let block = self.pool.blocks.pop().unwrap_or_else(Block::new);
                let launch = self.common.launch;
                let index = self.checker.map_or(index, |checker| checker.permute(index, launch.blocks));
                block.start(index, launch.block_idx(index), launch.threads, launch.spec.shared_bytes);
                if let Some(checker) = self.checker {
                    checker.start_block(&block);
                }
                match self.drive(&block) {
                    State::Done => self.pool.blocks.push(block),
                    State::Spinning => self.residents.push(block),
                }
            } else if self.residents.is_empty() {
                return true;
            }
            if !self.residents.is_empty() {
                self.go_round();
            } else if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return false;
            }
        }
    }

    fn claim(&mut self) -> Option<u64> {
        self.claimed.next().or_else(|| {
            self.claimed = self.common.launch.claim();
            self.claimed.next()
        })
    }

    /// Gives every resident block a turn, and a few more before another block joins them.
    #[cold]
    fn go_round(&mut self) {
        for _ in 0..8 {
            for block in std::mem::take(&mut self.residents) {
                match self.drive(&block) {
                    State::Done => {
                        self.set_stalled(false);
                        self.pool.blocks.push(block);
                    }
                    State::Spinning => self.residents.push(block),
                }
            }
            if self.residents.is_empty() {
                return;
            }
            std::thread::yield_now();
        }
        self.set_stalled(true);
        if self.is_stuck() {
            for block in std::mem::take(&mut self.residents) {
                self.enter(&block);
                self.cancel(&block, STUCK_VERDICT);
                // A kernel may have caught its cancelling and wait again.
                if block.alive.get() == 0 {
                    self.pool.blocks.push(block);
                } else {
                    self.residents.push(block);
                }
            }
            self.set_stalled(false);
        }
    }

    fn set_stalled(&mut self, stalled: bool) {
        if stalled != self.stalled.is_some() {
            let change = self.common.launch.set_busy(!stalled);
            self.stalled = stalled.then(|| (change, Instant::now()));
        }
    }

    /// Tells whether no worker of the launch has got anywhere for long.
    fn is_stuck(&mut self) -> bool {
        let Some((change, since)) = &mut self.stalled else { return false };
        let launch = self.common.launch;
        match launch.idle_changes() {
            Some(now) if now == *change => {
                since.elapsed() > if launch.record.is_set() { STUCK_AFTER_PANIC } else { STUCK }
            }
            other => {
                *change = other.unwrap_or(*change);
                *since = Instant::now();
                false
            }
        }
    }

    /// Tells device functions which block it is.
    fn enter(&self, block: &Block) {
        let current = self.common.current;
        current.block.set(block);
        current.block_idx.set(block.block_idx.get());
        current.first_rank.set(block.index.get() * u64::from(block.threads.get()));
        current.shared_base.set(block.shared.base());
    }

    /// Runs the threads of a block until all have ended or none can go on by itself.
    fn drive(&mut self, block: &Block) -> State {
        self.enter(block);
        while let Some(runner) = block.spinning.pop() {
            block.ready().push(runner);
        }
        let state = loop {
            match self.checker {
                Some(checker) => self.resume_by_seed(block, checker),
                None => self.resume_all(block),
            }
            if block.next.get() < block.threads.get() {
                match self.idle_runner() {
                    Ok(runner) => self.resume(runner),
                    Err(error) => self.give_up(block, &error),
                }
            } else if !block.ready().is_empty() {
                continue;
            } else if block.alive.get() == 0 {
                if let Some(checker) = self.checker {
                    checker.end_block(block);
                }
                break State::Done;
            } else if !block.spinning.is_empty() {
                break State::Spinning;
            } else {
                self.cancel(block, "no thread that could let it go on is left");
            }
        };
        self.common.current.rank_z.set(u64::MAX);
        state
    }

    /// Resumes every ready runner.
    ///
    /// What the next switch needs is at hand before this one: a switch forgets all registers, and each further step
    /// from the stack to the next runner would lengthen the chain of loads that bounds the speed of a barrier.
    #[inline(always)]
    fn resume_all(&mut self, block: &Block) {
        let runners = self.runners.as_mut_ptr();
        let current = self.common.current;
        let mut next = block.ready().pop();
        while let Some(id) = next {
            next = block.ready().pop();
            let runner = runners.wrapping_add(id as usize);
            // SAFETY: the queue holds ids of runners, and nobody adds or moves runners while this loop runs.
            let runner = unsafe { &mut *runner };
            current.runner.set(id);
            current.yielder.set(runner.yielder);
            runner.coroutine.resume(());
            if next.is_none() {
                next = block.ready().pop();
            }
        }
    }

    /// Resumes ready runners in an order that the seed decides, and at times stops to start another thread first.
    #[cold]
    fn resume_by_seed(&mut self, block: &Block, checker: &Checker<'_>) {
        while !block.ready().is_empty() {
            if block.next.get() < block.threads.get() && checker.below(2) == 0 {
                return;
            }
            block.ready().bring_forward(checker.below(block.ready().len()));
            if let Some(runner) = block.ready().pop() {
                self.resume(runner);
            }
        }
    }

    /// Resumes one runner.
    #[inline(always)]
    fn resume(&mut self, id: u32) {
        let current = self.common.current;
        let runner = &mut self.runners[id as usize];
        current.runner.set(id);
        current.yielder.set(runner.yielder);
        runner.coroutine.resume(());
        if runner.yielder.is_null() {
            // The runner's first words.
            runner.yielder = current.yielder.get();
        }
    }

    /// Ends every thread that waits, since it would wait for ever.
    #[cold]
    fn cancel(&mut self, block: &Block, why: &str) {
        let waits = block.strand();
        let between = if waits.is_empty() { "" } else { ": " };
        block.verdict.replace(format!("{why}{between}{waits}"));
        while let Some(runner) = block.spinning.pop() {
            block.ready().push(runner);
        }
        self.common.current.cancel.set(true);
        self.resume_all(block);
        self.common.current.cancel.set(false);
    }

    /// Ends a block for which there is not enough memory.
    #[cold]
    fn give_up(&mut self, block: &Block, error: &std::io::Error) {
        let Common { launch, current, .. } = *self.common;
        let message = format!(
            "no stack for another waiting thread ({error}): {} threads wait; use smaller blocks, fewer workers \
             (RAYON_NUM_THREADS), or raise vm.max_map_count",
            self.runners.len()
        );
        let next = block.next.replace(block.threads.get());
        current.set_thread(next, block.next_idx.get());
        launch.record.note_fault(launch.spec, current, block.index.get(), message);
        block.alive.set(block.alive.get() - (block.threads.get() - next));
        self.cancel(block, "the launch was given up");
    }

    /// A runner to take up the loop over a block's threads.
    #[inline]
    fn idle_runner(&mut self) -> std::io::Result<u32> {
        if let Some(runner) = self.common.idle.borrow_mut().pop() {
            return Ok(runner);
        }
        self.new_runner()
    }

    fn new_runner(&mut self) -> std::io::Result<u32> {
        let id = self.runners.len() as u32;
        let stack = match self.pool.stacks.pop() {
            Some(stack) => stack,
            None => ColouredStack::new(id as usize)?,
        };
        let common: *const Common<'l, F> = &*self.common;
        let body = move |yielder: &Yielder<(), ()>, ()| {
            // SAFETY: the box outlives the runner: `drop` resets all runners first.
            let common = unsafe { &*common };
            common.run(id, yielder)
        };
        // SAFETY: what the runner borrows outlives it, as above.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, body) };
        self.runners.push(Runner { coroutine, yielder: std::ptr::null() });
        Ok(id)
    }
}

impl<F> Drop for Worker<'_, F> {
    fn drop(&mut self) {
        // In reverse, so that the pool's last stack is the next launch's first.
        for mut runner in self.runners.drain(..).rev() {
            // SAFETY: an idle runner has nothing on its stack that needs to be dropped. If this is itself
            // a panic of the engine, threads may be parked: what they own is leaked.
            unsafe { runner.coroutine.force_reset() };
            self.pool.stacks.push(runner.coroutine.into_stack());
        }
        if self.stalled.is_none() {
            self.common.launch.set_busy(false);
        }
        let mut pool = std::mem::take(&mut self.pool);
        pool.blocks.truncate(4);
        pool.stacks.truncate(MAX_THREADS);
        // A thread that is ending has no pool any more.
        let _ = POOL.try_with(|pools| pools.borrow_mut().push(pool));
    }
}

impl<F: Fn() + Copy> Common<'_, F> {
    /// The life of a runner.
    fn run(&self, id: u32, yielder: &Yielder<(), ()>) {
        self.current.yielder.set(yielder);
        loop {
            // SAFETY: the worker entered a block before it resumed this runner, and keeps the block until
            // all of its threads have ended.
            let block = unsafe { &*self.current.block.get() };
            self.run_threads(block);
            self.idle.borrow_mut().push(id);
            yielder.suspend(());
        }
    }

    /// Starts threads of the block, one after another, as long as there are any.
    fn run_threads(&self, block: &Block) {
        let current = self.current;
        loop {
            let first = block.next.get();
            if first >= block.threads.get() {
                return;
            }
            current.apart.set(false);
            let ended = catch_unwind(AssertUnwindSafe(|| self.run_stretch(first, block.next_idx.get())));
            if let Err(payload) = ended {
                block.panicked.set(block.panicked.get() + 1);
                self.launch.record.note(self.launch.spec, current, block.index.get(), payload);
            }
            let rank = current.rank();
            if current.apart.get() {
                block.end(rank, rank + 1);
            } else {
                block.go_on_behind(current);
                block.end(first, rank + 1);
            }
        }
    }

    /// Runs the threads from rank `first` on, until the block has no more, or one has waited.
    #[inline(always)]
    fn run_stretch(&self, first: u32, [mut x, mut y, mut z]: [u32; 3]) {
        let current = Current::here();
        let [dx, dy, dz] = self.launch.spec.block;
        // A copy of its own, which nobody else can reach, so that what the kernel writes cannot change it: the
        // compiler then keeps parameters in registers.
        let kernel = *self.kernel;
        let mut rank = first;
        while z < dz {
            while y < dy {
                while x < dx {
                    // SAFETY: a block has no more threads, as `run` checks.
                    unsafe { assert_unchecked(rank < MAX_THREADS as u32) };
                    current.set_thread(rank, [x, y, z]);
                    kernel();
                    if current.apart.get() {
                        return;
                    }
                    x += 1;
                    rank += 1;
                }
                (x, y) = (0, y + 1);
            }
            (y, z) = (0, z + 1);
        }
    }
}
