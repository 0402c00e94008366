//! Which accesses happen before which: the order that barriers, warp barriers, and fences with atomics make.
//!
//! Each thread counts its *epochs*: an epoch ends when the thread tells others of what it has done. Thread U knows an
//! access of thread T if it has been told of the epoch in which T made it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::sim::warp::LANES;

/// A thread of the launch: the rank of its block, and its own in the block.
pub(super) type Thread = (u64, u32);

/// The last known epoch of each thread of which anything is known. Epochs count from 1.
type Known = HashMap<Thread, u32>;

fn learn(known: &mut Known, news: &Known) {
    for (&thread, &epoch) in news {
        let last = known.entry(thread).or_default();
        *last = epoch.max(*last);
    }
}

/// What a thread knows beyond its block's last barrier.
#[derive(Clone, Default)]
struct ThreadClock {
    /// The epoch that it is in, counted from 0; accesses of the present epoch are marked with the next number.
    epoch: u32,
    /// Of the lanes of its own warp, by warp barriers.
    warp: [u32; LANES as usize],
    /// Of any thread, by fences and atomics.
    told: Known,
    /// Its epoch at its last fence.
    fenced: Option<u32>,
    /// What it has read with atomics since its last fence: valid from its next fence on.
    overheard: Known,
}

/// The clocks of a resident block.
#[derive(Default)]
pub(super) struct BlockClock {
    /// Epochs that the block's last barrier has made known to all of its threads.
    floor: Vec<u32>,
    threads: Vec<ThreadClock>,
}

/// The clocks of a launch.
#[derive(Default)]
pub(super) struct Clocks {
    blocks: HashMap<u64, BlockClock>,
    /// What an atomic variable tells those who read it and then pass a fence.
    released: HashMap<usize, Rc<Known>>,
}

impl Clocks {
    pub fn start_block(&mut self, block: u64, threads: u32) {
        let threads = threads as usize;
        let clock = BlockClock { floor: vec![0; threads], threads: vec![ThreadClock::default(); threads] };
        self.blocks.insert(block, clock);
    }

    pub fn end_block(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn of(&mut self, (block, rank): Thread) -> &mut ThreadClock {
        &mut self.blocks.get_mut(&block).expect("a resident block").threads[rank as usize]
    }

    /// The number by which accesses of the thread's present epoch are marked.
    pub fn epoch(&self, (block, rank): Thread) -> u32 {
        self.blocks[&block].threads[rank as usize].epoch + 1
    }

    /// Tells whether what `other` did in `epoch` happens before what `thread` does now.
    pub fn knows(&self, thread: Thread, other: Thread, epoch: u32) -> bool {
        if thread == other {
            return true;
        }
        let block = &self.blocks[&thread.0];
        let clock = &block.threads[thread.1 as usize];
        let mut known = 0;
        if thread.0 == other.0 {
            known = block.floor[other.1 as usize];
            if thread.1 / LANES == other.1 / LANES {
                known = known.max(clock.warp[(other.1 % LANES) as usize]);
            }
        }
        known >= epoch || clock.told.get(&other).is_some_and(|&told| told >= epoch)
    }

    /// All threads of a block that have not left it meet.
    pub fn barrier(&mut self, block: u64) {
        let BlockClock { floor, threads } = self.blocks.get_mut(&block).expect("a resident block");
        let mut told = Known::new();
        for (floor, thread) in floor.iter_mut().zip(threads.iter_mut()) {
            thread.epoch += 1;
            *floor = thread.epoch;
            learn(&mut told, &thread.told);
        }
        if !told.is_empty() {
            threads.iter_mut().for_each(|thread| thread.told.clone_from(&told));
        }
    }

    /// The lanes of a mask meet.
    pub fn warp_barrier(&mut self, block: u64, warp: u32, mask: u32) {
        let BlockClock { threads, .. } = self.blocks.get_mut(&block).expect("a resident block");
        let lanes = || (0..LANES).filter(move |lane| mask & (1 << lane) != 0);
        let mut known = [0; LANES as usize];
        let mut told = Known::new();
        for lane in lanes() {
            let thread = &mut threads[(warp * LANES + lane) as usize];
            thread.epoch += 1;
            thread.warp[lane as usize] = thread.epoch;
            known.iter_mut().zip(thread.warp).for_each(|(known, epoch)| *known = epoch.max(*known));
            learn(&mut told, &thread.told);
        }
        for lane in lanes() {
            let thread = &mut threads[(warp * LANES + lane) as usize];
            thread.warp = known;
            thread.told.clone_from(&told);
        }
    }

    /// The thread passes a fence.
    pub fn fence(&mut self, thread: Thread) {
        let clock = self.of(thread);
        let overheard = std::mem::take(&mut clock.overheard);
        learn(&mut clock.told, &overheard);
        clock.epoch += 1;
        clock.fenced = Some(clock.epoch);
    }

    /// The thread reads an atomic variable.
    pub fn atomic_read(&mut self, thread: Thread, address: usize) {
        if let Some(news) = self.released.get(&address).cloned() {
            learn(&mut self.of(thread).overheard, &news);
        }
    }

    /// The thread writes an atomic variable: what it has told by its last fence can be had there. A read-modify-write
    /// leaves what others have told there before.
    pub fn atomic_write(&mut self, thread: Thread, address: usize, update: bool) {
        let block = &self.blocks[&thread.0];
        let clock = &block.threads[thread.1 as usize];
        let mut news = if update {
            self.released.get(&address).map(|known| Known::clone(known)).unwrap_or_default()
        } else {
            Known::new()
        };
        if let Some(fenced) = clock.fenced {
            learn(&mut news, &clock.told);
            let first = thread.1 / LANES * LANES;
            let by_barrier = (0..).zip(&block.floor).map(|(rank, &epoch)| ((thread.0, rank), epoch));
            let by_warp = (first..).zip(&clock.warp).map(|(rank, &epoch)| ((thread.0, rank), epoch));
            let own = std::iter::once((thread, fenced));
            let all = by_barrier.chain(by_warp).chain(own).filter(|&(_, epoch)| epoch > 0);
            for (thread, epoch) in all {
                let last = news.entry(thread).or_default();
                *last = epoch.max(*last);
            }
        }
        if news.is_empty() {
            self.released.remove(&address);
        } else {
            self.released.insert(address, Rc::new(news));
        }
    }
}
