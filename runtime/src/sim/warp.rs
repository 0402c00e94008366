//! Warps: 32 lanes that exchange values.
//!
//! A lane leaves what it brings in its slot and waits; the last lane of the mask to arrive computes everyone's
//! result and makes the others ready. A lane reads its own slot only, so the next operation may begin before
//! the last one has been read by all.

use std::cell::Cell;
use std::fmt::Write;
use std::panic::Location;

use super::block::{MAX_THREADS, Queue};
use super::check::ranges;
use super::current::Current;

/// Lanes of a warp.
pub(super) const LANES: u32 = 32;

/// What the lanes of a mask do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Barrier,
    ShuffleIdx,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Ballot,
    VoteAll,
    VoteAny,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Barrier => "warp barrier",
            Self::ShuffleIdx | Self::ShuffleUp | Self::ShuffleDown | Self::ShuffleXor => "shuffle",
            Self::Ballot => "ballot",
            Self::VoteAll | Self::VoteAny => "vote",
        }
    }
}

/// Why a lane's operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The mask lacks the lane that calls.
    NotInMask,
    /// The mask names a lane that has left the kernel.
    Left(u32),
    /// The mask names a lane that the block does not have.
    Absent(u32),
    /// The shuffle reads a lane outside the mask.
    SourceOutsideMask(u32),
    /// The width is not a power of two up to 32.
    Width(u32),
}

/// What a lane brings to an operation, and what it takes from it.
#[derive(Clone, Copy)]
struct Slot {
    operation: Operation,
    mask: u32,
    value: u32,
    /// Source lane, distance or bits of a shuffle.
    source: u32,
    width: u32,
    runner: u32,
    result: Result<u32, Fault>,
    place: &'static Location<'static>,
}

/// All warps of a block.
pub(super) struct Warps {
    /// Threads of the block.
    threads: Cell<u32>,
    /// Lanes that wait, for each warp.
    waiting: [Cell<u32>; MAX_THREADS / LANES as usize],
    /// Lanes that have left the kernel.
    left: [Cell<u32>; MAX_THREADS / LANES as usize],
    /// One for each thread. Made when a thread first needs one.
    slots: std::cell::OnceCell<Box<[Cell<Slot>]>>,
}

/// An operation of a lane as it arrives.
pub(super) struct Arrival {
    pub operation: Operation,
    pub mask: u32,
    pub value: u32,
    pub source: u32,
    pub width: u32,
    pub place: &'static Location<'static>,
}

impl Warps {
    pub const fn new() -> Self {
        Self {
            threads: Cell::new(0),
            waiting: [const { Cell::new(0) }; MAX_THREADS / LANES as usize],
            left: [const { Cell::new(0) }; MAX_THREADS / LANES as usize],
            slots: std::cell::OnceCell::new(),
        }
    }

    pub fn start(&self, threads: u32) {
        self.threads.set(threads);
        for warp in 0..threads.div_ceil(LANES) as usize {
            self.waiting[warp].set(0);
            self.left[warp].set(0);
        }
    }

    fn slots(&self) -> &[Cell<Slot>] {
        self.slots.get_or_init(|| {
            let empty = Slot {
                operation: Operation::Barrier,
                mask: 0,
                value: 0,
                source: 0,
                width: LANES,
                runner: 0,
                result: Ok(0),
                place: Location::caller(),
            };
            (0..MAX_THREADS).map(|_| Cell::new(empty)).collect()
        })
    }

    /// Lanes of the warp that the block has.
    fn present(&self, warp: u32) -> u32 {
        let lanes = (self.threads.get() - warp * LANES).min(LANES);
        u32::MAX >> (LANES - lanes)
    }

    /// The ranges of ranks whose threads have left the kernel.
    pub fn who_left(&self) -> Vec<(u32, u32)> {
        ranges((0..).zip(self.left.iter().map(Cell::get)).take(self.threads.get().div_ceil(LANES) as usize))
    }

    /// Brings thread `rank` of a block to an operation. Returns whether that ended it, so that the thread need not wait.
    #[inline(never)]
    pub fn arrive(&self, block: u64, rank: u32, runner: u32, ready: &Queue, arrival: &Arrival) -> bool {
        let (warp, lane) = (rank / LANES, rank % LANES);
        let &Arrival { operation, mask, value, source, width, place } = arrival;
        let slot = &self.slots()[rank as usize];
        let mut brought = Slot { operation, mask, value, source, width, runner, result: Ok(0), place };
        let left = self.left[warp as usize].get();
        let absent = mask & !self.present(warp);
        let fault = if mask & (1 << lane) == 0 {
            Some(Fault::NotInMask)
        } else if !width.is_power_of_two() || width > LANES {
            Some(Fault::Width(width))
        } else if operation == Operation::Barrier {
            None
        } else if absent != 0 {
            Some(Fault::Absent(absent.trailing_zeros()))
        } else if mask & left != 0 {
            Some(Fault::Left((mask & left).trailing_zeros()))
        } else {
            None
        };
        if let Some(fault) = fault {
            brought.result = Err(fault);
            slot.set(brought);
            return true;
        }
        slot.set(brought);
        let waiting = &self.waiting[warp as usize];
        waiting.set(waiting.get() | 1 << lane);
        self.try_complete(block, warp, lane, Some(lane), ready)
    }

    /// Ends the operation that `lane` waits at if every lane of its mask has come. `running` need not be woken.
    fn try_complete(&self, block: u64, warp: u32, lane: u32, running: Option<u32>, ready: &Queue) -> bool {
        let slots = &self.slots()[(warp * LANES) as usize..][..LANES as usize];
        let Slot { operation, mask, .. } = slots[lane as usize].get();
        let mut expected = mask;
        if operation == Operation::Barrier {
            expected &= self.present(warp) & !self.left[warp as usize].get();
        }
        let waiting = &self.waiting[warp as usize];
        if waiting.get() & expected != expected {
            return false;
        }
        let same = |l: u32| {
            let slot = slots[l as usize].get();
            slot.mask == mask && slot.operation == operation
        };
        if !lanes(expected).all(same) {
            return false;
        }
        waiting.set(waiting.get() & !expected);
        if operation == Operation::Barrier
            && let Some(checker) = Current::here().checker()
        {
            checker.warp_barrier(block, warp, expected);
        }
        let ballot =
            lanes(expected).filter(|&l| slots[l as usize].get().value != 0).fold(0, |b, l| b | 1 << l);
        for l in lanes(expected) {
            let mut slot = slots[l as usize].get();
            slot.result = match operation {
                Operation::Barrier => Ok(0),
                Operation::Ballot => Ok(ballot),
                Operation::VoteAll => Ok(u32::from(ballot == expected)),
                Operation::VoteAny => Ok(u32::from(ballot != 0)),
                _ => {
                    let from = source_lane(operation, l, slot.source, slot.width);
                    if expected & (1 << from) == 0 {
                        Err(Fault::SourceOutsideMask(from))
                    } else {
                        Ok(slots[from as usize].get().value)
                    }
                }
            };
            slots[l as usize].set(slot);
            if running != Some(l) {
                ready.push(slot.runner);
            }
        }
        true
    }

    /// What thread `rank` takes from the operation that just ended.
    #[inline]
    pub fn result(&self, rank: u32) -> Result<u32, Fault> {
        self.slots()[rank as usize].get().result
    }

    /// Notes that the threads `first..behind` have left the kernel: who waits for them need not, or must not, any more.
    pub fn end(&self, block: u64, first: u32, behind: u32, ready: &Queue) {
        for warp in first / LANES..behind.div_ceil(LANES) {
            let low = first.max(warp * LANES) - warp * LANES;
            let high = behind.min((warp + 1) * LANES) - warp * LANES;
            let gone = (u32::MAX >> (LANES - (high - low))) << low;
            let left = &self.left[warp as usize];
            left.set(left.get() | gone);
            if self.waiting[warp as usize].get() != 0 {
                self.look_after(block, warp, gone, ready);
            }
        }
    }

    /// Wakes the lanes that wait for lanes that have left.
    #[cold]
    fn look_after(&self, block: u64, warp: u32, gone: u32, ready: &Queue) {
        let waiting = &self.waiting[warp as usize];
        for lane in lanes(waiting.get()) {
            if waiting.get() & (1 << lane) == 0 {
                continue;
            }
            let cell = &self.slots()[(warp * LANES + lane) as usize];
            let mut slot = cell.get();
            if slot.mask & gone == 0 {
                continue;
            }
            if slot.operation == Operation::Barrier {
                self.try_complete(block, warp, lane, None, ready);
            } else {
                slot.result = Err(Fault::Left((slot.mask & gone).trailing_zeros()));
                cell.set(slot);
                waiting.set(waiting.get() & !(1 << lane));
                ready.push(slot.runner);
            }
        }
    }

    /// Makes every waiting lane ready, for it to be cancelled, and adds to `text` who waited where.
    pub fn strand(&self, ready: &Queue, text: &mut String) {
        for warp in 0..self.threads.get().div_ceil(LANES) {
            let waiting = self.waiting[warp as usize].replace(0);
            for lane in lanes(waiting) {
                let slot = self.slots()[(warp * LANES + lane) as usize].get();
                if !text.is_empty() {
                    text.push_str("; ");
                }
                let _ = write!(
                    text,
                    "lane {lane} of warp {warp} waits at a {} with mask {:#010x} at {}",
                    slot.operation.name(),
                    slot.mask,
                    slot.place
                );
                ready.push(slot.runner);
            }
        }
    }
}

/// The lanes of a mask in ascending order.
fn lanes(mask: u32) -> impl Iterator<Item = u32> + Clone {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The lane that `lane` reads. A source outside the segment means the lane itself (PTX ISA, `shfl.sync`).
fn source_lane(operation: Operation, lane: u32, source: u32, width: u32) -> u32 {
    let first = lane & !(width - 1);
    let last = first | (width - 1);
    let source = source & (LANES - 1);
    let from = match operation {
        Operation::ShuffleIdx => first | (source & (width - 1)),
        Operation::ShuffleUp => match lane.checked_sub(source) {
            Some(from) if from >= first => from,
            _ => lane,
        },
        Operation::ShuffleDown => lane + source,
        _ => lane ^ source,
    };
    if from > last { lane } else { from }
}

/// What to tell about a fault of an operation.
pub(super) fn describe(operation: Operation, mask: u32, lane: u32, fault: Fault) -> String {
    let what = operation.name();
    match fault {
        Fault::NotInMask => format!("{what}: the mask {mask:#010x} lacks lane {lane}, which calls"),
        Fault::Left(other) => {
            format!(
                "{what}: the mask {mask:#010x} names lane {other}, which has left the kernel: its value does not exist"
            )
        }
        Fault::Absent(other) => {
            format!("{what}: the mask {mask:#010x} names lane {other}, which the block does not have")
        }
        Fault::SourceOutsideMask(other) => {
            format!("{what}: lane {lane} reads lane {other}, which the mask {mask:#010x} leaves out")
        }
        Fault::Width(width) => format!("{what}: the width is {width}; it may be 1, 2, 4, 8, 16 or 32"),
    }
}
