//! The relaxed operations that [`Atomic`](super::Atomic) is built of, one implementation per target.

/// Relaxed operations on one element.
///
/// The functions are `unsafe` with one duty: the pointer is valid and aligned, and while it is used every access
/// of other threads to the element is atomic, of the same size, and of a scope that holds both threads. `scope` is
/// one of the codes of `super::code`.
#[allow(clippy::missing_safety_doc, reason = "one duty for all, stated above")]
pub trait Raw: Copy {
    unsafe fn load(ptr: *mut Self, scope: u32) -> Self;
    unsafe fn store(ptr: *mut Self, value: Self, scope: u32);
    unsafe fn swap(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn add(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn sub(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn compare_exchange(ptr: *mut Self, current: Self, new: Self, scope: u32) -> (Self, bool);
}

/// Relaxed operations on one integer; duty as for [`Raw`].
#[allow(clippy::missing_safety_doc, reason = "one duty for all, stated at `Raw`")]
pub trait RawInteger: Raw {
    unsafe fn min(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn max(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn and(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn or(ptr: *mut Self, value: Self, scope: u32) -> Self;
    unsafe fn xor(ptr: *mut Self, value: Self, scope: u32) -> Self;
}
