//! The memory functions that LLVM calls: compiler_builtins stays out of LTO, so they are defined here.
//!
//! Bytes move in words of 8 where both addresses allow it. Loops that are written as loops would be turned back into
//! calls of these very functions, so the accesses are volatile.

/// Copies `n` bytes from lower to higher addresses.
#[inline(always)]
unsafe fn forwards(to: *mut u8, from: *const u8, n: usize) {
    let mut i = 0;
    if (to.addr() | from.addr()) & 7 == 0 {
        while i + 8 <= n {
            // SAFETY: inside both ranges, which the caller vouches for; both addresses are multiples of 8.
            let word = unsafe { from.add(i).cast::<u64>().read_volatile() };
            // SAFETY: as above.
            unsafe { to.add(i).cast::<u64>().write_volatile(word) };
            i += 8;
        }
    }
    while i < n {
        // SAFETY: inside both ranges.
        let byte = unsafe { from.add(i).read_volatile() };
        // SAFETY: inside both ranges.
        unsafe { to.add(i).write_volatile(byte) };
        i += 1;
    }
}

/// C's `memcpy`.
///
/// # Safety
/// 1. `n` bytes are readable at `from` and writable at `to`, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's duty.
    unsafe { forwards(to, from, n) };
    to
}

/// C's `memmove`.
///
/// # Safety
/// 1. `n` bytes are readable at `from` and writable at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    if to.addr().wrapping_sub(from.addr()) >= n {
        // SAFETY: the caller's duty; `to` does not begin inside the source.
        unsafe { forwards(to, from, n) };
    } else {
        let mut i = n;
        while i > 0 {
            i -= 1;
            // SAFETY: inside both ranges.
            let byte = unsafe { from.add(i).read_volatile() };
            // SAFETY: inside both ranges.
            unsafe { to.add(i).write_volatile(byte) };
        }
    }
    to
}

/// C's `memset`.
///
/// # Safety
/// 1. `n` bytes are writable at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
    let mut i = 0;
    if to.addr() & 7 == 0 {
        let word = u64::from(byte as u8) * 0x0101_0101_0101_0101;
        while i + 8 <= n {
            // SAFETY: inside the range, at a multiple of 8.
            unsafe { to.add(i).cast::<u64>().write_volatile(word) };
            i += 8;
        }
    }
    while i < n {
        // SAFETY: inside the range.
        unsafe { to.add(i).write_volatile(byte as u8) };
        i += 1;
    }
    to
}

/// C's `memcmp`.
///
/// # Safety
/// 1. `n` bytes are readable at `a` and at `b`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut i = 0;
    while i < n {
        // SAFETY: inside both ranges.
        let (x, y) = (unsafe { a.add(i).read_volatile() }, unsafe { b.add(i).read_volatile() });
        if x != y {
            return i32::from(x) - i32::from(y);
        }
        i += 1;
    }
    0
}

/// The `bcmp` of BSD: not 0 if the bytes differ.
///
/// # Safety
/// 1. `n` bytes are readable at `a` and at `b`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: the caller's duty.
    unsafe { memcmp(a, b, n) }
}
