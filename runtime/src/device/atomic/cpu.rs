//! Relaxed atomic operations on the CPU, by core's atomics; the scope makes no difference there.

use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{self, AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use super::raw::{Raw, RawInteger};

pub fn fence_acq_rel(_scope: u32) {
    atomic::fence(atomic::Ordering::AcqRel);
    crate::device::backend::note_fence();
}

/// So often may a thread find nothing new at one address before it lets others run.
const PATIENCE: u32 = 16;

std::thread_local! {
    /// The address at which a simulated thread of this OS thread looked last, its rank, and how often in a row.
    static LOOKED: Cell<(usize, u32, u32)> = const { Cell::new((0, 0, 0)) };
}

/// Notes that a thread looked at an element, as one does that waits for another thread, and lets others run if it
/// does nothing else: a loop around a load or a failing exchange must end on the simulator as it does on the GPU.
#[inline(always)]
#[track_caller]
pub fn looked<T>(address: *const T) {
    let (address, rank) = (address.addr(), crate::device::backend::thread_rank());
    let (last_address, last_rank, times) = LOOKED.get();
    let times = if (last_address, last_rank) == (address, rank) { times.saturating_add(1) } else { 0 };
    LOOKED.set((address, rank, times));
    if times >= PATIENCE {
        crate::device::backend::spin_hint();
    }
}

/// Writes operations whose only statement is core's, for an atomic type `$atomic` over `$t`.
macro_rules! forward {
    ($atomic:ident: $($name:ident = $core:ident),*) => { $(
        #[inline(always)]
        unsafe fn $name(ptr: *mut Self, value: Self, _scope: u32) -> Self {
            // SAFETY: the caller's duty.
            unsafe { $atomic::from_ptr(ptr) }.$core(value, Relaxed)
        }
    )* };
}

macro_rules! integers {
    ($($t:ident $atomic:ident;)*) => { $(
        impl Raw for $t {
            #[inline(always)]
            unsafe fn load(ptr: *mut Self, _scope: u32) -> Self {
                // SAFETY: the caller's duty.
                unsafe { $atomic::from_ptr(ptr) }.load(Relaxed)
            }
            #[inline(always)]
            unsafe fn store(ptr: *mut Self, value: Self, _scope: u32) {
                // SAFETY: the caller's duty.
                unsafe { $atomic::from_ptr(ptr) }.store(value, Relaxed)
            }
            forward!($atomic: swap = swap, add = fetch_add, sub = fetch_sub);
            #[inline(always)]
            unsafe fn compare_exchange(ptr: *mut Self, current: Self, new: Self, _scope: u32) -> (Self, bool) {
                // SAFETY: the caller's duty.
                match unsafe { $atomic::from_ptr(ptr) }.compare_exchange(current, new, Relaxed, Relaxed) {
                    Ok(old) => (old, true),
                    Err(old) => (old, false),
                }
            }
        }
        impl RawInteger for $t {
            forward!($atomic: min = fetch_min, max = fetch_max, and = fetch_and, or = fetch_or, xor = fetch_xor);
        }
    )* };
}

integers! {
    i32 AtomicI32;
    u32 AtomicU32;
    i64 AtomicI64;
    u64 AtomicU64;
}

macro_rules! floats {
    ($($t:ident $bits:ident;)*) => { $(
        impl Raw for $t {
            #[inline(always)]
            unsafe fn load(ptr: *mut Self, scope: u32) -> Self {
                // SAFETY: the caller's duty; float and bits have the same size and alignment.
                $t::from_bits(unsafe { <$bits as Raw>::load(ptr.cast(), scope) })
            }
            #[inline(always)]
            unsafe fn store(ptr: *mut Self, value: Self, scope: u32) {
                // SAFETY: as above.
                unsafe { <$bits as Raw>::store(ptr.cast(), value.to_bits(), scope) }
            }
            #[inline(always)]
            unsafe fn swap(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: as above.
                $t::from_bits(unsafe { <$bits as Raw>::swap(ptr.cast(), value.to_bits(), scope) })
            }
            #[inline(always)]
            unsafe fn add(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: as above.
                let mut old = unsafe { Self::load(ptr, scope) };
                loop {
                    // SAFETY: as above. Bits are compared, so a NaN in the cell ends the loop as well.
                    match unsafe { Self::compare_exchange(ptr, old, old + value, scope) } {
                        (old, true) => return old,
                        (now, false) => old = now,
                    }
                }
            }
            #[inline(always)]
            unsafe fn sub(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: as above.
                unsafe { Self::add(ptr, -value, scope) }
            }
            #[inline(always)]
            unsafe fn compare_exchange(ptr: *mut Self, current: Self, new: Self, scope: u32) -> (Self, bool) {
                let (current, new) = (current.to_bits(), new.to_bits());
                // SAFETY: as above.
                let (old, written) = unsafe { <$bits as Raw>::compare_exchange(ptr.cast(), current, new, scope) };
                ($t::from_bits(old), written)
            }
        }
    )* };
}

floats! {
    f32 u32;
    f64 u64;
}
