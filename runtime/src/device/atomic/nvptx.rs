//! Relaxed atomic operations on the GPU: functions of `nvptx/bitcode.ll`, which name the scope in the instruction.

use super::raw::{Raw, RawInteger};

unsafe extern "C" {
    safe fn __warpweft_fence_acq_rel(scope: u32);
}

/// Declares functions of the bitcode over one type.
macro_rules! declare {
    ($t:ty, $load:ident, $store:ident, $cas:ident, $($update:ident)*) => {
        unsafe extern "C" {
            fn $load(ptr: *mut $t, scope: u32) -> $t;
            fn $store(ptr: *mut $t, value: $t, scope: u32);
            fn $cas(ptr: *mut $t, current: $t, new: $t, scope: u32) -> $t;
            $(fn $update(ptr: *mut $t, value: $t, scope: u32) -> $t;)*
        }
    };
}

declare!(u32, __warpweft_atomic_load_32, __warpweft_atomic_store_32, __warpweft_atomic_cas_32,
    __warpweft_atomic_xchg_32 __warpweft_atomic_add_32 __warpweft_atomic_and_32 __warpweft_atomic_or_32
    __warpweft_atomic_xor_32 __warpweft_atomic_min_32 __warpweft_atomic_max_32 __warpweft_atomic_umin_32
    __warpweft_atomic_umax_32);
declare!(u64, __warpweft_atomic_load_64, __warpweft_atomic_store_64, __warpweft_atomic_cas_64,
    __warpweft_atomic_xchg_64 __warpweft_atomic_add_64 __warpweft_atomic_and_64 __warpweft_atomic_or_64
    __warpweft_atomic_xor_64 __warpweft_atomic_min_64 __warpweft_atomic_max_64 __warpweft_atomic_umin_64
    __warpweft_atomic_umax_64);

unsafe extern "C" {
    fn __warpweft_atomic_add_f32(ptr: *mut f32, value: f32, scope: u32) -> f32;
    fn __warpweft_atomic_add_f64(ptr: *mut f64, value: f64, scope: u32) -> f64;
}

#[inline(always)]
pub fn fence_acq_rel(scope: u32) {
    __warpweft_fence_acq_rel(scope);
}

/// Hints at nothing: the hardware runs the other threads.
#[inline(always)]
pub fn looked<T>(_address: *const T) {
    crate::device::backend::spin_hint();
}

/// Moves a value to and from the bits on which the instructions work.
trait Bits: Copy {
    type Bits: Copy + PartialEq;
    fn bits(self) -> Self::Bits;
    fn of(bits: Self::Bits) -> Self;
}

macro_rules! bits {
    ($($t:ty, $bits:ty, $self:ident => $to:expr, $from:path;)*) => { $(
        impl Bits for $t {
            type Bits = $bits;
            #[inline(always)]
            fn bits($self) -> $bits { $to }
            #[inline(always)]
            fn of(bits: $bits) -> $t { $from(bits) }
        }
    )* };
}

bits! {
    u32, u32, self => self, core::convert::identity;
    i32, u32, self => self.cast_unsigned(), u32::cast_signed;
    u64, u64, self => self, core::convert::identity;
    i64, u64, self => self.cast_unsigned(), u64::cast_signed;
    f32, u32, self => self.to_bits(), f32::from_bits;
    f64, u64, self => self.to_bits(), f64::from_bits;
}

/// Writes operations that are one function of the bitcode each.
macro_rules! forward {
    ($($name:ident = $function:ident),*) => { $(
        #[inline(always)]
        unsafe fn $name(ptr: *mut Self, value: Self, scope: u32) -> Self {
            // SAFETY: the caller's duty; a value and its bits have the same size and alignment.
            Self::of(unsafe { $function(ptr.cast(), value.bits(), scope) })
        }
    )* };
}

/// Writes the operations that every type has in common.
macro_rules! common {
    ($load:ident $store:ident $xchg:ident $cas:ident) => {
        #[inline(always)]
        unsafe fn load(ptr: *mut Self, scope: u32) -> Self {
            // SAFETY: the caller's duty; a value and its bits have the same size and alignment.
            Self::of(unsafe { $load(ptr.cast(), scope) })
        }
        #[inline(always)]
        unsafe fn store(ptr: *mut Self, value: Self, scope: u32) {
            // SAFETY: as above.
            unsafe { $store(ptr.cast(), value.bits(), scope) }
        }
        forward!(swap = $xchg);
        #[inline(always)]
        unsafe fn compare_exchange(ptr: *mut Self, current: Self, new: Self, scope: u32) -> (Self, bool) {
            // SAFETY: as above.
            let old = unsafe { $cas(ptr.cast(), current.bits(), new.bits(), scope) };
            (Self::of(old), old == current.bits())
        }
    };
}

macro_rules! integers {
    ($($t:ident: $load:ident $store:ident $xchg:ident $cas:ident $add:ident, $($name:ident = $function:ident),*;)*) => { $(
        impl Raw for $t {
            common!($load $store $xchg $cas);
            forward!(add = $add);
            #[inline(always)]
            unsafe fn sub(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: the caller's duty.
                unsafe { Self::add(ptr, value.wrapping_neg(), scope) }
            }
        }
        impl RawInteger for $t {
            forward!($($name = $function),*);
        }
    )* };
}

integers! {
    u32: __warpweft_atomic_load_32 __warpweft_atomic_store_32 __warpweft_atomic_xchg_32 __warpweft_atomic_cas_32
        __warpweft_atomic_add_32, min = __warpweft_atomic_umin_32, max = __warpweft_atomic_umax_32,
        and = __warpweft_atomic_and_32, or = __warpweft_atomic_or_32, xor = __warpweft_atomic_xor_32;
    i32: __warpweft_atomic_load_32 __warpweft_atomic_store_32 __warpweft_atomic_xchg_32 __warpweft_atomic_cas_32
        __warpweft_atomic_add_32, min = __warpweft_atomic_min_32, max = __warpweft_atomic_max_32,
        and = __warpweft_atomic_and_32, or = __warpweft_atomic_or_32, xor = __warpweft_atomic_xor_32;
    u64: __warpweft_atomic_load_64 __warpweft_atomic_store_64 __warpweft_atomic_xchg_64 __warpweft_atomic_cas_64
        __warpweft_atomic_add_64, min = __warpweft_atomic_umin_64, max = __warpweft_atomic_umax_64,
        and = __warpweft_atomic_and_64, or = __warpweft_atomic_or_64, xor = __warpweft_atomic_xor_64;
    i64: __warpweft_atomic_load_64 __warpweft_atomic_store_64 __warpweft_atomic_xchg_64 __warpweft_atomic_cas_64
        __warpweft_atomic_add_64, min = __warpweft_atomic_min_64, max = __warpweft_atomic_max_64,
        and = __warpweft_atomic_and_64, or = __warpweft_atomic_or_64, xor = __warpweft_atomic_xor_64;
}

macro_rules! floats {
    ($($t:ident: $load:ident $store:ident $xchg:ident $cas:ident $add:ident;)*) => { $(
        impl Raw for $t {
            common!($load $store $xchg $cas);
            #[inline(always)]
            unsafe fn add(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: the caller's duty.
                unsafe { $add(ptr, value, scope) }
            }
            #[inline(always)]
            unsafe fn sub(ptr: *mut Self, value: Self, scope: u32) -> Self {
                // SAFETY: the caller's duty.
                unsafe { $add(ptr, -value, scope) }
            }
        }
    )* };
}

floats! {
    f32: __warpweft_atomic_load_32 __warpweft_atomic_store_32 __warpweft_atomic_xchg_32 __warpweft_atomic_cas_32
        __warpweft_atomic_add_f32;
    f64: __warpweft_atomic_load_64 __warpweft_atomic_store_64 __warpweft_atomic_xchg_64 __warpweft_atomic_cas_64
        __warpweft_atomic_add_f64;
}
