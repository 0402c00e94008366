//! Reading the record in which a kernel on a GPU leaves its panic.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::panic_record::{COMPLETE, FREE, NO_MESSAGE, PanicRecord, mark};

/// A panic as the record holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    pub grid: [u32; 3],
    pub block_size: [u32; 3],
    /// The bits, by `mark`, of panics in launches of other shapes, which found the record taken.
    pub lost: u32,
}

/// Takes the panic out of a record, if a complete one lies there, and makes room for the next.
///
/// # Safety
/// 1. The record is mapped, and only the device and this function access it.
pub(crate) unsafe fn take(record: NonNull<PanicRecord>) -> Option<Found> {
    // SAFETY: the pointer is valid for the whole record (duty 1).
    let state = unsafe { &raw mut (*record.as_ptr()).state };
    // SAFETY: valid and aligned; the device writes it atomically.
    let state = unsafe { AtomicU32::from_ptr(state) };
    if state.load(Ordering::Acquire) != COMPLETE {
        return None;
    }
    // SAFETY: a complete record is not written until the host frees it; every bit pattern is valid.
    let found = unsafe { record.as_ptr().read_volatile() };
    state.store(FREE, Ordering::Release);
    // SAFETY: the pointer is valid for the whole record (duty 1).
    let others = unsafe { &raw mut (*record.as_ptr()).others };
    // SAFETY: valid and aligned; the device writes it atomically.
    let others = unsafe { AtomicU32::from_ptr(others) };
    // After the record is free: a panic that was refused before has set its bit before.
    let lost = others.swap(0, Ordering::AcqRel) & !mark(found.grid, found.block_size);
    let message = if found.message_len == NO_MESSAGE {
        "(the message has to be formatted, which happens on the simulator only)".to_owned()
    } else {
        text(&found.message, found.message_len)
    };
    Some(Found {
        file: text(&found.file, found.file_len),
        line: found.line,
        column: found.column,
        message,
        block: found.block,
        thread: found.thread,
        grid: found.grid,
        block_size: found.block_size,
        lost,
    })
}

/// The first `len` bytes as text, or all there are, with a mark where some are missing.
fn text(bytes: &[u8], len: u32) -> String {
    let len = len as usize;
    if len <= bytes.len() {
        return String::from_utf8_lossy(&bytes[..len]).into_owned();
    }
    // The cut may have gone through a character.
    let whole = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    format!("{whole}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> PanicRecord {
        PanicRecord {
            state: COMPLETE,
            line: 7,
            column: 9,
            block: [1, 2, 3],
            thread: [4, 5, 6],
            grid: [10, 11, 12],
            block_size: [13, 14, 15],
            file_len: 4,
            message_len: 5,
            file: [b'f'; 256],
            message: [b'm'; 696],
            others: mark([10, 11, 12], [13, 14, 15]),
        }
    }

    fn take(record: &mut PanicRecord) -> Option<Found> {
        // SAFETY: borrowed exclusively.
        unsafe { super::take(NonNull::from(record)) }
    }

    #[test]
    fn a_complete_record_is_taken_once() {
        let mut record = record();
        let found = take(&mut record).expect("complete");
        assert_eq!((found.file.as_str(), found.message.as_str()), ("ffff", "mmmmm"));
        assert_eq!((found.line, found.column, found.block, found.thread), (7, 9, [1, 2, 3], [4, 5, 6]));
        assert_eq!((found.grid, found.block_size), ([10, 11, 12], [13, 14, 15]));
        assert_eq!(take(&mut record), None);
        assert_eq!((record.state, record.others, found.lost), (FREE, 0, 0));
    }

    #[test]
    fn a_panic_that_found_the_record_taken_is_noticed() {
        let mut record = record();
        let other =
            (1..).map(|blocks| mark([blocks; 3], [1; 3])).find(|&bit| bit != record.others).expect("a bit");
        record.others |= other;
        assert_eq!(take(&mut record).expect("complete").lost, other);
        assert_eq!(record.others, 0);
    }

    #[test]
    fn a_record_that_is_being_written_is_left_alone() {
        let mut record = PanicRecord { state: crate::panic_record::CLAIMED, ..record() };
        assert_eq!(take(&mut record), None);
        assert_eq!(record.state, crate::panic_record::CLAIMED);
    }

    #[test]
    fn text_that_does_not_fit_is_cut_between_characters() {
        let mut long = record();
        (long.message_len, long.file_len) = (2000, 256);
        long.message[694..].copy_from_slice(&"€".as_bytes()[..2]);
        let found = take(&mut long).expect("complete");
        assert_eq!(found.message, format!("{}…", "m".repeat(694)));
        assert_eq!(found.file.len(), 256);
        let found = take(&mut PanicRecord { message_len: NO_MESSAGE, ..record() }).expect("complete");
        assert!(found.message.contains("formatted"));
    }
}
