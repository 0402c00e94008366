//! The state of one resident block: who has started, who waits where, who is ready to go on.
//!
//! A block lives on one OS thread, so everything in it is a `Cell`.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::ptr;

use super::current::Current;
use super::shared::SharedMemory;
use super::warp::Warps;

/// Most threads of a block.
pub(super) const MAX_THREADS: usize = 1024;

/// First in, first out; holds the ids of runners, each at most once.
pub(super) struct Queue {
    items: [Cell<u32>; MAX_THREADS],
    head: Cell<u32>,
    tail: Cell<u32>,
}

impl Queue {
    pub const fn new() -> Self {
        Self { items: [const { Cell::new(0) }; MAX_THREADS], head: Cell::new(0), tail: Cell::new(0) }
    }

    /// Adds a runner. At most [`MAX_THREADS`] are in a queue, one for each thread of the block.
    #[inline(always)]
    pub fn push(&self, runner: u32) {
        let tail = self.tail.get();
        debug_assert!(tail.wrapping_sub(self.head.get()) < MAX_THREADS as u32);
        self.items[tail as usize % MAX_THREADS].set(runner);
        self.tail.set(tail.wrapping_add(1));
    }

    #[inline(always)]
    pub fn pop(&self) -> Option<u32> {
        let head = self.head.get();
        if head == self.tail.get() {
            return None;
        }
        self.head.set(head.wrapping_add(1));
        Some(self.items[head as usize % MAX_THREADS].get())
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.head.get() == self.tail.get()
    }

    pub fn len(&self) -> u32 {
        self.tail.get().wrapping_sub(self.head.get())
    }

    /// Brings the `nth` runner to the front, in exchange for the one there.
    pub fn bring_forward(&self, nth: u32) {
        let head = self.head.get();
        let [first, other] = [head, head.wrapping_add(nth)].map(|i| &self.items[i as usize % MAX_THREADS]);
        first.swap(other);
    }

    pub fn clear(&self) {
        self.head.set(self.tail.get());
    }
}

/// One block, from its first thread's start to its last thread's end.
pub(super) struct Block {
    /// Threads of the block.
    pub threads: Cell<u32>,
    /// Rank of the next thread to start, and its index along x, y and z.
    pub next: Cell<u32>,
    pub next_idx: Cell<[u32; 3]>,
    /// Threads that have not ended: started or not.
    pub alive: Cell<u32>,
    /// Threads that wait at the block barrier.
    pub arrived: Cell<u32>,
    /// Of these, those whose predicate was true.
    votes: Cell<u32>,
    /// What the last barrier's participants read: how many there were, and how many voted for it.
    pub result: Cell<(u32, u32)>,
    /// How often the block barrier has been met.
    pub meetings: Cell<u32>,
    /// Waiting at the block barrier, and ready to go on: which is which changes when the barrier is met.
    queues: [Queue; 2],
    waiting: Cell<*const Queue>,
    ready: Cell<*const Queue>,
    /// In a loop that waits for another thread's write.
    pub spinning: Queue,
    pub warps: Warps,
    pub shared: SharedMemory,
    /// Rank of the block in the grid.
    pub index: Cell<u64>,
    pub block_idx: Cell<[u32; 3]>,
    /// Threads that have panicked.
    pub panicked: Cell<u32>,
    /// In checked mode: where a thread waits at the block barrier.
    pub barrier_place: Cell<Option<&'static Location<'static>>>,
    /// Why waiting threads are being cancelled.
    pub verdict: RefCell<String>,
}

impl Block {
    pub fn new() -> Box<Self> {
        let block = Box::new(Self {
            threads: Cell::new(0),
            next: Cell::new(0),
            next_idx: Cell::new([0; 3]),
            alive: Cell::new(0),
            arrived: Cell::new(0),
            votes: Cell::new(0),
            result: Cell::new((0, 0)),
            meetings: Cell::new(0),
            queues: [const { Queue::new() }; 2],
            waiting: Cell::new(ptr::null()),
            ready: Cell::new(ptr::null()),
            spinning: Queue::new(),
            warps: Warps::new(),
            shared: SharedMemory::new(),
            index: Cell::new(0),
            block_idx: Cell::new([0; 3]),
            panicked: Cell::new(0),
            barrier_place: Cell::new(None),
            verdict: RefCell::new(String::new()),
        });
        block.waiting.set(&block.queues[0]);
        block.ready.set(&block.queues[1]);
        block
    }

    /// Makes this the block of rank `index`, none of whose threads has started.
    pub fn start(&self, index: u64, block_idx: [u32; 3], threads: u32, shared_bytes: usize) {
        self.threads.set(threads);
        self.next.set(0);
        self.next_idx.set([0; 3]);
        self.alive.set(threads);
        self.arrived.set(0);
        self.votes.set(0);
        self.panicked.set(0);
        self.queues.iter().for_each(Queue::clear);
        self.spinning.clear();
        self.warps.start(threads);
        self.shared.start(shared_bytes);
        self.index.set(index);
        self.block_idx.set(block_idx);
    }

    #[inline(always)]
    pub fn ready(&self) -> &Queue {
        // SAFETY: points to one of the block's own queues; a block does not move, since `new` alone makes one, boxed.
        unsafe { &*self.ready.get() }
    }

    #[inline(always)]
    fn waiting(&self) -> &Queue {
        // SAFETY: as for `ready`.
        unsafe { &*self.waiting.get() }
    }

    /// Notes that the running thread is going to wait, so that other threads may overtake it: those that its
    /// runner's loop has run before it have ended, and whoever takes up the loop goes on behind it.
    #[inline(always)]
    pub fn take_leave(&self, current: &Current) {
        if !current.apart.get() {
            current.apart.set(true);
            let rank = current.rank();
            let first = self.next.get();
            self.go_on_behind(current);
            if first != rank {
                self.end(first, rank);
            }
        }
    }

    /// Makes the thread behind the running one the next to start.
    #[inline(always)]
    pub fn go_on_behind(&self, current: &Current) {
        let [dx, dy, _] = current.block_dim.get();
        let [mut x, mut y, mut z] = current.thread();
        x += 1;
        if x == dx {
            (x, y) = (0, y + 1);
            if y == dy {
                (y, z) = (0, z + 1);
            }
        }
        self.next_idx.set([x, y, z]);
        self.next.set(current.rank() + 1);
    }

    /// Notes that the threads of the ranks `first..behind` have ended.
    #[inline]
    pub fn end(&self, first: u32, behind: u32) {
        let alive = self.alive.get() - (behind - first);
        self.alive.set(alive);
        if alive != 0 {
            self.warps.end(self.index.get(), first, behind, self.ready());
            if self.arrived.get() == alive {
                self.meet();
            }
        }
    }

    /// Brings the running thread to the block barrier. Returns whether it was the last, so that it need not wait.
    #[inline(always)]
    pub fn arrive(&self, current: &Current, runner: u32, vote: bool) -> bool {
        self.take_leave(current);
        self.votes.set(self.votes.get() + u32::from(vote));
        let arrived = self.arrived.get() + 1;
        self.arrived.set(arrived);
        if arrived == self.alive.get() {
            self.meet();
            return true;
        }
        self.waiting().push(runner);
        false
    }

    /// Opens the barrier. All threads that have not ended stand there, so that nobody is ready to go on.
    #[inline(always)]
    fn meet(&self) {
        debug_assert!(self.ready().is_empty());
        if let Some(checker) = Current::here().checker() {
            checker.barrier(self);
        }
        self.result.set((self.arrived.get(), self.votes.get()));
        self.meetings.set(self.meetings.get().wrapping_add(1));
        self.arrived.set(0);
        self.votes.set(0);
        self.waiting.swap(&self.ready);
    }

    /// Makes every waiting thread ready, for it to be cancelled, and says in words who waited where.
    pub fn strand(&self) -> String {
        let at_barrier = self.arrived.get();
        let mut text = String::new();
        if at_barrier > 0 {
            text += &format!(
                "{at_barrier} of the {} threads that have not ended wait at a block barrier",
                self.alive.get()
            );
            while let Some(runner) = self.waiting().pop() {
                self.ready().push(runner);
            }
            self.arrived.set(0);
            self.votes.set(0);
        }
        self.warps.strand(self.ready(), &mut text);
        text
    }
}
