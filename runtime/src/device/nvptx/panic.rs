//! What a panic does on the GPU: it leaves a record for the host, and the thread leaves the kernel.

use core::panic::PanicInfo;

use crate::device::atomic::{claim, mark_bits};
use crate::panic_record::{CLAIMED, COMPLETE, FREE, NO_MESSAGE, PanicRecord, mark};

/// Address of the record of the module, or null: stored by the host when it loads the module.
#[unsafe(no_mangle)]
#[used]
#[allow(non_upper_case_globals, reason = "the host looks it up by this name")]
pub static mut __warpweft_panic_record: *mut PanicRecord = core::ptr::null_mut();

/// Copies a string, as much of it as fits, and returns its whole length.
///
/// # Safety
/// 1. `N` bytes are writable at `to`.
unsafe fn copy<const N: usize>(to: *mut [u8; N], text: &str) -> u32 {
    for (i, byte) in text.bytes().take(N).enumerate() {
        // SAFETY: `i < N`. Volatile, so that the loop is not turned into a call of `memcpy`.
        unsafe { to.cast::<u8>().wrapping_add(i).write_volatile(byte) };
    }
    text.len() as u32
}

/// Claims the record and fills it, or does nothing where another thread was first.
///
/// # Safety
/// 1. `record` is a live record, which only the threads of its context and their host access.
#[inline(never)]
unsafe fn report(record: *mut PanicRecord, info: &PanicInfo<'_>) {
    // SAFETY: the caller's duty: in bounds of a live record.
    let state = unsafe { &raw mut (*record).state };
    let (line, column) = info.location().map_or((0, 0), |place| (place.line(), place.column()));
    // SAFETY: the caller's duty: in bounds of a live record.
    let others = unsafe { &raw mut (*record).others };
    // Before the claim: where that fails, the host still learns of this panic.
    // SAFETY: aligned and live; the field is accessed atomically only.
    unsafe { mark_bits(others, mark(super::grid_dim(), super::block_dim())) };
    // SAFETY: aligned and live; the compare-exchange is the only access of threads that do not own the record.
    // Device scope: only threads of this device claim, and atomics of system scope on host memory need hardware
    // (native host atomics) that few machines have.
    if !unsafe { claim(state, FREE, CLAIMED) } {
        return;
    }
    // SAFETY: this thread has claimed the record; `state` is written through the same pointer.
    let record = unsafe { &mut *record };
    (record.line, record.column) = (line, column);
    record.file_len = match info.location() {
        // SAFETY: the field is writable.
        Some(location) => unsafe { copy(&raw mut record.file, location.file()) },
        None => 0,
    };
    record.message_len = match info.message().as_str() {
        // SAFETY: the field is writable.
        Some(message) => unsafe { copy(&raw mut record.message, message) },
        None => NO_MESSAGE,
    };
    record.block = super::block_idx();
    record.thread = super::thread_idx();
    record.grid = super::grid_dim();
    record.block_size = super::block_dim();
    super::fence_system();
    // SAFETY: in bounds; volatile, so that the host, which polls nothing but this, sees it.
    unsafe { (&raw mut record.state).write_volatile(COMPLETE) };
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // SAFETY: the host writes the global before the first launch of the module only.
    let record = unsafe { __warpweft_panic_record };
    if !record.is_null() {
        // SAFETY: the host stored the address of a live record of this context.
        unsafe { report(record, info) };
    }
    // SAFETY: `exit` ends this thread; barriers count it as arrived.
    unsafe { core::arch::asm!("exit;", options(noreturn, nostack)) }
}
