//! Where a kernel on a GPU leaves its panic: the layout that device and host share.
//!
//! Each loaded module has one record, in host memory that the device can write. Its device address lies in the
//! module's global variable [`GLOBAL`]. The thread that panics first claims the record, fills it and marks it
//! complete; other threads leave without a word. The host reads the record after a synchronisation, and frees it
//! again.

/// The name of the module's global variable that holds the record's address on the device, null for none:
/// `static mut __warpweft_panic_record: *mut PanicRecord`.
#[cfg(all(not(target_arch = "nvptx64"), not(sim)))]
pub(crate) const GLOBAL: &std::ffi::CStr = c"__warpweft_panic_record";

/// Nobody has panicked since the host looked last.
pub(crate) const FREE: u32 = 0;
/// A thread is filling the record.
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
pub(crate) const CLAIMED: u32 = 1;
/// The record is complete.
pub(crate) const COMPLETE: u32 = 2;

/// A panic. Accessed through raw pointers only; every bit pattern is valid.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PanicRecord {
    /// [`FREE`] to [`CLAIMED`] by a compare-exchange of the panicking thread; to [`COMPLETE`] by the same thread,
    /// behind a fence of system scope; back to [`FREE`] by the host.
    pub state: u32,
    /// Line of the panic, counted from 1.
    pub line: u32,
    /// Column of the panic, counted from 1.
    pub column: u32,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in its block.
    pub thread: [u32; 3],
    /// Extent of the grid, in blocks.
    pub grid: [u32; 3],
    /// Extent of the block, in threads.
    pub block_size: [u32; 3],
    /// Bytes of the source file's name, which may be more than fit.
    pub file_len: u32,
    /// Bytes of the message, which may be more than fit; [`NO_MESSAGE`] where it is not a plain string.
    pub message_len: u32,
    /// The source file's name, in UTF-8, cut where it does not fit.
    pub file: [u8; 256],
    /// The message, in UTF-8, cut where it does not fit.
    pub message: [u8; 696],
    /// The bits, by [`mark`], of all panics that came since the host freed the record: more than the bit of the panic
    /// above means that a panic in a launch of another shape found the record taken.
    pub others: u32,
}

/// The bit of a panic in [`PanicRecord::others`], by the shape of its launch.
pub(crate) fn mark(grid: [u32; 3], block_size: [u32; 3]) -> u32 {
    let words = [grid, block_size].into_iter().flatten();
    // Multiplication by 2^32 divided by the golden ratio spreads neighbouring values (Knuth, TAOCP 3, 6.4).
    let hash = words.fold(0, |hash: u32, word| (hash ^ word).wrapping_mul(0x9E37_79B9).rotate_left(5));
    1 << (hash >> 27)
}

/// The message would have to be formatted, which the device does not do.
pub(crate) const NO_MESSAGE: u32 = u32::MAX;

const _: () = assert!(size_of::<PanicRecord>() == 1024);
