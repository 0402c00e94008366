//! What a panic does on the GPU: it leaves a record for the host, and the thread leaves the kernel.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::panic_record::{CLAIMED, FREE, Record, WRITTEN};

/// Address of the record of the context, or null: stored by the host when it loads the module.
#[unsafe(no_mangle)]
#[used]
pub static mut __warpweft_panic_record: *mut Record = core::ptr::null_mut();

/// Copies a string into the record, its beginning or its end if it is too long, and returns the number of bytes.
///
/// # Safety
/// 1. `N` bytes are writable at `to`.
unsafe fn copy<const N: usize>(to: *mut [u8; N], text: &str, keep_end: bool) -> u32 {
    let bytes = text.as_bytes();
    let len = if bytes.len() < N { bytes.len() } else { N };
    let skip = if keep_end { bytes.len() - len } else { 0 };
    let mut i = 0;
    while i < len {
        // SAFETY: `skip + i < bytes.len()`.
        let byte = unsafe { *bytes.get_unchecked(skip + i) };
        // SAFETY: `i < N`.
        unsafe { to.cast::<u8>().add(i).write_volatile(byte) };
        i += 1;
    }
    len as u32
}

/// Claims the record and writes it.
///
/// # Safety
/// 1. `record` is a live record that only threads of this context and their host access.
#[inline(never)]
unsafe fn report(record: *mut Record, info: &PanicInfo<'_>) {
    // SAFETY: the caller's duty. The compare-exchange is the only access that races, and it is atomic.
    let state = unsafe { AtomicU32::from_ptr(&raw mut (*record).state) };
    if state.compare_exchange(FREE, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return;
    }
    // SAFETY: this thread has claimed the record.
    let record = unsafe { &mut *record };
    if let Some(location) = info.location() {
        record.line = location.line();
        record.column = location.column();
        // SAFETY: the field is writable.
        record.file_len = unsafe { copy(&raw mut record.file, location.file(), true) };
    }
    if let Some(message) = info.message().as_str() {
        // SAFETY: the field is writable.
        record.message_len = unsafe { copy(&raw mut record.message, message, false) };
    }
    record.thread = super::thread_idx();
    record.block = super::block_idx();
    record.block_dim = super::block_dim();
    record.grid_dim = super::grid_dim();
    super::fence_system();
    // SAFETY: a plain volatile write: the fence orders it behind the others.
    unsafe { (&raw mut record.state).write_volatile(WRITTEN) };
    super::fence_system();
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
