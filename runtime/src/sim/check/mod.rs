//! Checked mode: what a GPU hides is reported.
//!
//! A checked launch runs on the calling thread, in an order that its seed decides alone. Raw and atomic accesses of
//! the device layer are noted in shadow memory, and checked against each other by the order that barriers, warp
//! barriers, and fences with atomics make. Safe views need no check: they cannot race.
//!
//! # Limitations
//! Accesses through plain pointers and references are not seen. Of accesses to one element that are not ordered among
//! themselves a few are remembered, so a race is found if one of these takes part in it.

mod clock;
mod shadow;

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::panic::Location;
use std::sync::OnceLock;

use clock::{Clocks, Thread};
use shadow::{Record, Shadow};

use super::block::Block;
use super::current::Current;
use super::launch::Launch;
use super::panic::Place;
use super::shared::POISON;
use super::warp::LANES;
use crate::device::Access;

/// How a launch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// In parallel, unchecked.
    Fast,
    /// In one order, decided by a seed, and checked.
    Checked {
        /// Decides the order of blocks and threads. 0 starts the blocks in order.
        seed: u64,
        /// What the GPU allows and is seldom meant, such as a barrier that part of a block has left behind, fails the
        /// launch too. Otherwise it is a line on the standard error.
        strict: bool,
    },
}

impl Mode {
    /// The mode that the environment asks for: `WARPWEFT_SIM` may be `fast` (the default), `checked` or `strict`, and
    /// `WARPWEFT_SIM_SEED`, a number, asks for checked mode under that seed. Read once, at the first launch.
    pub fn of_environment() -> Self {
        static MODE: OnceLock<Mode> = OnceLock::new();
        *MODE.get_or_init(|| {
            let seed = std::env::var("WARPWEFT_SIM_SEED").ok().and_then(|seed| seed.parse().ok());
            match (seed, std::env::var("WARPWEFT_SIM").as_deref()) {
                (_, Ok("strict")) => Self::Checked { seed: seed.unwrap_or(0), strict: true },
                (Some(seed), _) => Self::Checked { seed, strict: false },
                (None, Ok("checked")) => Self::Checked { seed: 0, strict: false },
                _ => Self::Fast,
            }
        })
    }
}

/// The checker of a launch.
pub(super) struct Checker<'l> {
    launch: &'l Launch<'l>,
    seed: u64,
    strict: bool,
    /// A hint has been printed: one is enough for a launch.
    hinted: Cell<bool>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    clocks: Clocks,
    shadow: Shadow,
    /// Reads of shared memory that nobody had written, until their block's next barrier: if someone writes it in the
    /// meantime, a barrier was missing, and the race is what is reported.
    unwritten: Vec<(usize, usize, Record)>,
    random: u64,
}

impl<'l> Checker<'l> {
    pub fn new(launch: &'l Launch<'l>, seed: u64, strict: bool) -> Self {
        let state = State { random: seed ^ 0x9e37_79b9_7f4a_7c15, ..State::default() };
        Self { launch, seed, strict, hinted: Cell::new(false), state: RefCell::new(state) }
    }

    /// A number below `n`, as the seed decides (splitmix64).
    pub fn below(&self, n: u32) -> u32 {
        let mut state = self.state.borrow_mut();
        state.random = state.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(n)) as u32
    }

    /// The block to run as the `index`th of `blocks`.
    pub fn permute(&self, index: u64, blocks: u64) -> u64 {
        if self.seed == 0 {
            return index;
        }
        // A step that shares no factor with the number of blocks visits each of them once.
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let mut step = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % blocks;
        while gcd(step, blocks) != 1 {
            step = (step + 1) % blocks;
        }
        let place = u128::from(index) * u128::from(step) + u128::from(self.seed);
        (place % u128::from(blocks)) as u64
    }

    pub fn start_block(&self, block: &Block) {
        let State { clocks, shadow, .. } = &mut *self.state.borrow_mut();
        clocks.start_block(block.index.get(), block.threads.get());
        shadow.forget(block.shared.base().addr(), self.launch.spec.shared_bytes);
    }

    pub fn end_block(&self, block: &Block) {
        self.settle(block.index.get());
        self.state.borrow_mut().clocks.end_block(block.index.get());
    }

    /// The threads of a block that have not left it meet.
    #[cold]
    pub fn barrier(&self, block: &Block) {
        self.settle(block.index.get());
        self.state.borrow_mut().clocks.barrier(block.index.get());
        let (took_part, panicked) = (block.arrived.get(), block.panicked.get());
        if took_part + panicked < block.threads.get() {
            let Some(place) = block.barrier_place.get() else { return };
            let left = block.warps.who_left();
            let first = left.first().map_or(0, |range| range.0);
            let mut text = String::from("the block barrier is not reached by threads ");
            for (i, &(from, to)) in left.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                let _ = if from == to {
                    write!(text, "{comma}{from}")
                } else {
                    write!(text, "{comma}{from}..={to}")
                };
            }
            text += ", which have left the kernel (it passes without them on Volta and later; before, it is undefined)";
            self.hint((block.index.get(), first), place, &text);
        }
    }

    /// Lanes of a warp meet.
    #[cold]
    pub fn warp_barrier(&self, block: u64, warp: u32, mask: u32) {
        self.state.borrow_mut().clocks.warp_barrier(block, warp, mask);
    }

    /// The running thread passes a fence.
    #[cold]
    pub fn fence(&self, current: &Current, block: &Block) {
        self.state.borrow_mut().clocks.fence((block.index.get(), current.rank()));
    }

    /// The running thread is about to access memory.
    #[cold]
    pub fn access(
        &self,
        current: &Current,
        block: &Block,
        (start, bytes): (usize, usize),
        kind: Access,
        place: &'static Location<'static>,
    ) {
        let thread = (block.index.get(), current.rank());
        let shared = (block.shared.base().addr(), self.launch.spec.shared_bytes);
        let in_shared = start.wrapping_sub(shared.0) < shared.1;
        let State { clocks, shadow, unwritten, .. } = &mut *self.state.borrow_mut();
        let record = Record { thread, epoch: clocks.epoch(thread), kind, place };
        let (race, nobody_wrote) = shadow.note(start, bytes, record, clocks);
        if matches!(kind, Access::AtomicLoad | Access::AtomicUpdate) {
            clocks.atomic_read(thread, start);
        }
        if matches!(kind, Access::AtomicStore | Access::AtomicUpdate) {
            clocks.atomic_write(thread, start, kind == Access::AtomicUpdate);
        }
        if let Some(other) = race {
            let memory = if in_shared {
                format!("bytes {}.. of shared memory", start - shared.0)
            } else {
                "global memory".to_owned()
            };
            let [mine, other_name] = [kind, other.kind].map(name);
            let text = format!(
                "data race: this {mine} of {bytes} bytes, {memory}, and the {other_name} at {} by thread {:?} of block {:?} \
                 are not ordered",
                other.place,
                self.thread_idx(other.thread.1),
                self.launch.block_idx(other.thread.0),
            );
            self.report(thread, place, &text);
        } else if nobody_wrote
            && in_shared
            && matches!(kind, Access::Load | Access::AtomicLoad | Access::AtomicUpdate)
        {
            // Plain pointers may have written it unseen: then it is unlikely to be poison still.
            let bytes_there = block.shared.bytes(start - shared.0, bytes);
            if bytes_there.iter().all(|&byte| byte == POISON) {
                unwritten.push((start, bytes, record));
            }
        }
    }

    /// Reports those reads of unwritten shared memory that are not the fault of a missing barrier.
    fn settle(&self, block: u64) {
        let mut state = self.state.borrow_mut();
        let State { shadow, unwritten, .. } = &mut *state;
        let (these, others): (Vec<_>, Vec<_>) =
            std::mem::take(unwritten).into_iter().partition(|(_, _, record)| record.thread.0 == block);
        *unwritten = others;
        let reports: Vec<_> = these
            .into_iter()
            .filter(|(start, _, record)| {
                shadow.writer(*start).is_none_or(|writer| writer.thread == record.thread)
            })
            .collect();
        drop(state);
        for (_, bytes, record) in reports {
            let text = format!(
                "this {} of {bytes} bytes of shared memory reads what no thread of the block has written",
                name(record.kind)
            );
            self.report(record.thread, record.place, &text);
        }
    }

    fn thread_idx(&self, rank: u32) -> [u32; 3] {
        let [dx, dy, _] = self.launch.spec.block;
        [rank % dx, rank / dx % dy, rank / dx / dy]
    }

    /// Tells of what the GPU allows.
    fn hint(&self, thread: Thread, at: &'static Location<'static>, text: &str) {
        if self.strict {
            self.report(thread, at, text);
        } else if !self.hinted.replace(true) {
            let block = self.launch.block_idx(thread.0);
            let (kernel, seed) = (self.launch.spec.kernel, self.seed);
            eprintln!("warpweft: kernel `{kernel}`, block {block:?}, {at}: {text} (seed {seed})");
        }
    }

    fn report(&self, (block, rank): Thread, at: &'static Location<'static>, text: &str) {
        let place =
            Place { block, rank, block_idx: self.launch.block_idx(block), thread_idx: self.thread_idx(rank) };
        let message = format!("{text} (seed {})", self.seed);
        self.launch.record.note_finding(self.launch.spec, place, at, message);
    }
}

fn name(kind: Access) -> &'static str {
    match kind {
        Access::Load => "read",
        Access::Store => "write",
        Access::AtomicLoad => "atomic read",
        Access::AtomicStore => "atomic write",
        Access::AtomicUpdate => "atomic update",
    }
}

/// What warps know of the lanes that left, as ranges of ranks.
pub(super) fn ranges(left: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for (warp, mask) in left {
        for rank in (0..LANES).filter(|lane| mask & (1 << lane) != 0).map(|lane| warp * LANES + lane) {
            match ranges.last_mut() {
                Some(last) if last.1 + 1 == rank => last.1 = rank,
                _ => ranges.push((rank, rank)),
            }
        }
    }
    ranges
}
