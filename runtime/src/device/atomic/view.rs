//! The kernel parameter: atomics over a buffer.

use core::marker::PhantomData;
use core::ops::Deref;

use super::{Atomic, AtomicElement};
use crate::param::KernelParam;

/// A slice of global memory whose elements every thread may change, by atomic operations only.
///
/// It is a slice of [`Atomic`]: `bins[i].fetch_add(1, Ordering::Relaxed)`; `len`, `get` and `iter` are the
/// slice's, and an index outside panics. The host passes a `&mut` buffer.
pub struct Atomics<'a, T: AtomicElement> {
    ptr: *mut T,
    len: usize,
    memory: PhantomData<&'a [Atomic<T>]>,
}

impl<T: AtomicElement> Clone for Atomics<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: AtomicElement> Copy for Atomics<'_, T> {}

impl<'a, T: AtomicElement> Atomics<'a, T> {
    /// Returns the elements, for as long as the kernel runs.
    #[inline(always)]
    pub fn as_slice(self) -> &'a [Atomic<T>] {
        // SAFETY: address and length of a buffer that the host lends to this launch alone; `Atomic<T>` has the
        // layout of `T` and allows mutation through shared references.
        unsafe { core::slice::from_raw_parts(self.ptr.cast(), self.len) }
    }
}

impl<T: AtomicElement> Deref for Atomics<'_, T> {
    type Target = [Atomic<T>];

    #[inline(always)]
    fn deref(&self) -> &[Atomic<T>] {
        self.as_slice()
    }
}

// SAFETY: the words are address and length of a buffer that the host lends mutably for the launch. The first word is
// a plain pointer: all threads write through it, so `noalias` would be false.
unsafe impl<T: AtomicElement> KernelParam for Atomics<'_, T> {
    type Ptr = *mut T;
    type Meta = usize;

    #[inline(always)]
    unsafe fn from_abi(ptr: *mut T, len: usize) -> Self {
        Atomics { ptr, len, memory: PhantomData }
    }
}
