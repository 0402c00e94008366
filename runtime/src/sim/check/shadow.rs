//! What is remembered of each byte of memory that raw and atomic accesses touch.

use std::collections::HashMap;
use std::panic::Location;

use super::clock::{Clocks, Thread};
use crate::device::Access;

/// One access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub thread: Thread,
    pub epoch: u32,
    pub kind: Access,
    pub place: &'static Location<'static>,
}

/// So many accesses of a kind that are not ordered among themselves are remembered.
const REMEMBERED: usize = 4;

/// What is remembered of some bytes of a word.
#[derive(Clone)]
struct Bytes {
    mask: u8,
    write: Option<Record>,
    reads: Vec<Record>,
    atomics: Vec<Record>,
}

/// The shadow of the memory that a launch touches, in words of eight bytes.
#[derive(Default)]
pub(super) struct Shadow(HashMap<usize, Vec<Bytes>>);

/// Adds an access, in place of those that happen before it.
fn remember(records: &mut Vec<Record>, record: Record, clocks: &Clocks) {
    records.retain(|old| !clocks.knows(record.thread, old.thread, old.epoch));
    if records.len() == REMEMBERED {
        records.pop();
    }
    records.push(record);
}

impl Shadow {
    /// The last plain write to a byte.
    pub fn writer(&self, address: usize) -> Option<Record> {
        let bit = 1_u8 << (address % 8);
        self.0.get(&(address / 8))?.iter().find(|part| part.mask & bit != 0)?.write
    }

    /// Forgets all about some memory.
    pub fn forget(&mut self, start: usize, bytes: usize) {
        for word in start / 8..(start + bytes).div_ceil(8) {
            self.0.remove(&word);
        }
    }

    /// Notes an access. Returns an earlier access with which it races, if any, and whether some byte of it has never
    /// been written by an access that was noted.
    pub fn note(
        &mut self,
        start: usize,
        bytes: usize,
        record: Record,
        clocks: &Clocks,
    ) -> (Option<Record>, bool) {
        let (mut race, mut unwritten) = (None, false);
        let end = start + bytes;
        for word in start / 8..end.div_ceil(8) {
            let low = start.max(word * 8) - word * 8;
            let high = end.min(word * 8 + 8) - word * 8;
            let mask = (0xff_u16 >> (8 - (high - low)) << low) as u8;
            let parts = self.0.entry(word).or_default();
            // Split what straddles the mask, and add what is not there yet.
            let mut rest = mask;
            for i in 0..parts.len() {
                let common = parts[i].mask & mask;
                rest &= !common;
                if common != 0 && common != parts[i].mask {
                    let mut other = parts[i].clone();
                    other.mask &= !common;
                    parts[i].mask = common;
                    parts.push(other);
                }
            }
            if rest != 0 {
                parts.push(Bytes { mask: rest, write: None, reads: Vec::new(), atomics: Vec::new() });
            }
            for part in parts.iter_mut().filter(|part| part.mask & mask != 0) {
                race = race.or(part.race(record, clocks));
                let written =
                    part.write.is_some() || part.atomics.iter().any(|r| r.kind != Access::AtomicLoad);
                unwritten |= !written;
                part.note(record, clocks);
            }
        }
        (race, unwritten)
    }
}

impl Bytes {
    fn race(&self, record: Record, clocks: &Clocks) -> Option<Record> {
        let unordered = |old: &&Record| !clocks.knows(record.thread, old.thread, old.epoch);
        let by_write = self.write.as_ref().filter(unordered);
        let mut reads = self.reads.iter().filter(unordered);
        let mut atomics = self.atomics.iter().filter(unordered);
        let found = match record.kind {
            Access::Load => by_write.or_else(|| atomics.find(|old| old.kind != Access::AtomicLoad)),
            Access::Store => by_write.or_else(|| reads.next()).or_else(|| atomics.next()),
            Access::AtomicLoad => by_write,
            Access::AtomicStore | Access::AtomicUpdate => by_write.or_else(|| reads.next()),
        };
        found.copied()
    }

    fn note(&mut self, record: Record, clocks: &Clocks) {
        match record.kind {
            Access::Load => remember(&mut self.reads, record, clocks),
            Access::Store => self.write = Some(record),
            _ => remember(&mut self.atomics, record, clocks),
        }
    }
}
