//! Atomic operations on global and shared memory, with Rust's names and orderings and CUDA's scopes.
//!
//! core's atomics are not for kernels: on the GPU their read-modify-writes lose their ordering. [`Atomic`] keeps
//! it, on both targets, by the mapping of the PTX memory model: a relaxed operation between fences of its scope
//! (acquire: a fence behind; release: a fence before; sequentially consistent: a sequentially consistent fence
//! before and an acquiring one behind).
//!
//! A kernel gets atomics over a buffer as an [`Atomics`] parameter, which is a slice of [`Atomic`]:
//! ```
//! use warpweft::prelude::*;
//!
//! #[kernel]
//! fn histogram(bytes: &[u8], bins: Atomics<u32>) {
//!     let i = thread::index();
//!     if let Some(&byte) = bytes.get(i.get()) {
//!         bins[byte as usize].fetch_add(1, Ordering::Relaxed);
//!     }
//! }
//!
//! fn main() -> warpweft::Result<()> {
//!     let stream = Device::any()?.stream()?;
//!     let (bytes, mut bins) = (stream.upload(b"weft and warp")?, stream.zeros::<u32>(256)?);
//!     histogram::launch(&stream, Grid::cover(bytes.len()), &bytes, &mut bins)?;
//!     assert_eq!(stream.download(&bins)?[b'w' as usize], 2);
//!     Ok(())
//! }
//! ```
//!
//! # Scopes
//! An [`Atomic`] is atomic for the threads of its scope, by default the whole device. [`Atomic::system`] widens it
//! to the host and other devices; [`Atomic::block`] narrows it, which is `unsafe`, since a thread of another
//! block would then race. Atomics in shared memory have the scope of the block from the start.
//!
//! # Waiting for another thread
//! A loop around a load, or around an exchange that fails, lets other threads run on the simulator, as on the GPU. That
//! the thread waited for can run at all is the kernel's business: a block starts when there is room for it.
//!
//! # Floating point
//! `fetch_add` on `f32` and `f64` rounds to nearest even. On the GPU an `f32` addition in global memory flushes
//! subnormal inputs and results to zero (PTX ISA, `atom`); on the CPU it does not. `compare_exchange` compares
//! bits, so a cell that holds NaN can be exchanged, and `0.0` differs from `-0.0`.
//!
//! # References
//! PTX ISA, "Memory Consistency Model" and "Parallel Synchronization and Communication Instructions: atom, red".

#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(target_arch = "nvptx64")]
mod nvptx;
mod raw;
mod view;

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;

pub use core::sync::atomic::Ordering;
pub use view::Atomics;

#[cfg(not(target_arch = "nvptx64"))]
use cpu::{fence_acq_rel, looked};
#[cfg(target_arch = "nvptx64")]
use nvptx::{fence_acq_rel, looked};

use super::{Access, backend};
use crate::param::Element;

/// The threads for which an atomic operation or a fence works.
pub trait Scope: sealed::Scope {}

mod sealed {
    pub trait Scope {
        const CODE: u32;
    }
    pub trait Cell: Copy + PartialEq + super::raw::Raw {}
}

/// Scope: the threads of one block.
#[derive(Debug)]
pub enum Block {}
/// Scope: the threads of one device.
#[derive(Debug)]
pub enum Device {}
/// Scope: the threads of all devices and of the host.
#[derive(Debug)]
pub enum System {}

/// The numbers by which `bitcode.ll` knows the scopes.
mod code {
    pub const BLOCK: u32 = 0;
    pub const DEVICE: u32 = 1;
    pub const SYSTEM: u32 = 2;
}

impl sealed::Scope for Block {
    const CODE: u32 = code::BLOCK;
}
impl sealed::Scope for Device {
    const CODE: u32 = code::DEVICE;
}
impl sealed::Scope for System {
    const CODE: u32 = code::SYSTEM;
}
impl Scope for Block {}
impl Scope for Device {}
impl Scope for System {}

/// A type with atomic operations: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic operations on the GPU",
    note = "`i32`, `u32`, `i64`, `u64`, `f32` and `f64` do"
)]
pub trait AtomicElement: Element + sealed::Cell {}

/// An [`AtomicElement`] with bitwise operations, minimum and maximum.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic integer operations",
    note = "`i32`, `u32`, `i64` and `u64` do; `f32` and `f64` have `fetch_add`, `swap` and `compare_exchange`"
)]
pub trait AtomicInteger: AtomicElement + raw::RawInteger {}

macro_rules! cells {
    ($trait:ident: $($t:ty)*) => { $(impl $trait for $t {})* };
}
use sealed::Cell;
cells!(Cell: i32 u32 i64 u64 f32 f64);
cells!(AtomicElement: i32 u32 i64 u64 f32 f64);
cells!(AtomicInteger: i32 u32 i64 u64);

/// One element of memory, accessed by atomic operations only; has the layout of `T`.
///
/// See the [module](self) for orderings and scopes. Integer addition wraps around.
#[repr(transparent)]
pub struct Atomic<T, S = Device> {
    cell: UnsafeCell<T>,
    scope: PhantomData<S>,
}

// SAFETY: every access through a shared reference is atomic for the threads of the scope; only `Atomic::block`, which
// is unsafe, and shared memory, which one block alone can reach, make scopes narrower than the threads there are.
unsafe impl<T: AtomicElement, S> Sync for Atomic<T, S> {}

/// Exchanges `current` for `new`, relaxed and for the threads of the device, and tells whether it did.
///
/// # Safety
/// 1. The pointer is valid and aligned, and every access of other threads to it meanwhile is atomic.
#[cfg(target_arch = "nvptx64")]
pub(super) unsafe fn claim(ptr: *mut u32, current: u32, new: u32) -> bool {
    // SAFETY: forwarded.
    unsafe { <u32 as raw::Raw>::compare_exchange(ptr, current, new, code::DEVICE) }.1
}

/// Sets bits, relaxed and for the threads of the device.
///
/// # Safety
/// 1. As for [`claim`].
#[cfg(target_arch = "nvptx64")]
pub(super) unsafe fn mark_bits(ptr: *mut u32, bits: u32) {
    // SAFETY: forwarded.
    unsafe { <u32 as raw::RawInteger>::or(ptr, bits, code::DEVICE) };
}

/// A sequentially consistent fence of the scope with this code.
#[inline(always)]
fn fence_sc(scope: u32) {
    match scope {
        code::BLOCK => backend::fence_block(),
        code::DEVICE => backend::fence_device(),
        _ => backend::fence_system(),
    }
}

/// Makes what comes before the operation as strong as `order` says.
#[inline(always)]
fn before<S: Scope>(order: Ordering) {
    match order {
        Ordering::SeqCst => fence_sc(S::CODE),
        Ordering::Release | Ordering::AcqRel => fence_acq_rel(S::CODE),
        _ => {}
    }
}

/// Makes what comes behind the operation as strong as `order` says.
#[inline(always)]
fn after<S: Scope>(order: Ordering) {
    match order {
        Ordering::SeqCst | Ordering::Acquire | Ordering::AcqRel => fence_acq_rel(S::CODE),
        _ => {}
    }
}

/// Orders memory accesses of this thread for the threads of the scope `S`, as `core::sync::atomic::fence` does.
///
/// # Panics
/// If `order` is `Relaxed`, which orders nothing.
#[inline(always)]
#[track_caller]
pub fn fence<S: Scope>(order: Ordering) {
    match order {
        Ordering::SeqCst => fence_sc(S::CODE),
        Ordering::Relaxed => panic!("there is no such thing as a relaxed fence"),
        _ => fence_acq_rel(S::CODE),
    }
}

/// Read-modify-write operations: the same frame of hook and fences around each.
macro_rules! updates {
    ($($(#[$doc:meta])* $name:ident = $raw:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        #[track_caller]
        pub fn $name(&self, value: T, order: Ordering) -> T {
            backend::access(self.as_ptr(), Access::AtomicUpdate);
            before::<S>(order);
            // SAFETY: the pointer comes from a reference, so it is valid and aligned, and all accesses are atomic.
            let old = unsafe { T::$raw(self.as_ptr(), value, S::CODE) };
            after::<S>(order);
            // What finds the value that it would write is a lock's attempt that failed.
            if old == value {
                looked(self.as_ptr());
            }
            old
        }
    )* };
}

impl<T: AtomicElement, S: Scope> Atomic<T, S> {
    /// Returns the address of the element.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut T {
        self.cell.get()
    }

    /// Reads the element.
    ///
    /// # Panics
    /// If `order` is `Release` or `AcqRel`, which a read cannot have.
    #[inline(always)]
    #[track_caller]
    pub fn load(&self, order: Ordering) -> T {
        match order {
            Ordering::Release | Ordering::AcqRel => panic!("a load cannot release"),
            _ => {}
        }
        backend::access(self.as_ptr(), Access::AtomicLoad);
        looked(self.as_ptr());
        before::<S>(order);
        // SAFETY: the pointer comes from a reference, so it is valid and aligned, and all accesses are atomic.
        let value = unsafe { T::load(self.as_ptr(), S::CODE) };
        after::<S>(order);
        value
    }

    /// Writes the element.
    ///
    /// # Panics
    /// If `order` is `Acquire` or `AcqRel`, which a write cannot have.
    #[inline(always)]
    #[track_caller]
    pub fn store(&self, value: T, order: Ordering) {
        match order {
            Ordering::Acquire | Ordering::AcqRel => panic!("a store cannot acquire"),
            _ => {}
        }
        backend::access(self.as_ptr(), Access::AtomicStore);
        before::<S>(order);
        // SAFETY: the pointer comes from a reference, so it is valid and aligned, and all accesses are atomic.
        unsafe { T::store(self.as_ptr(), value, S::CODE) }
    }

    updates! {
        /// Writes `value` and returns the old value.
        swap = swap;
        /// Adds `value` and returns the old value.
        fetch_add = add;
        /// Subtracts `value` and returns the old value.
        fetch_sub = sub;
    }

    /// Writes `new` if the element has the bits of `current`. Returns the old value: `Ok` if written, `Err` if not.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`, which a read cannot have.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        match failure {
            Ordering::Release | Ordering::AcqRel => {
                panic!("a failed exchange is a load, which cannot release")
            }
            _ => {}
        }
        backend::access(self.as_ptr(), Access::AtomicUpdate);
        before::<S>(success);
        if matches!(failure, Ordering::SeqCst) && !matches!(success, Ordering::SeqCst) {
            fence_sc(S::CODE);
        }
        // SAFETY: the pointer comes from a reference, so it is valid and aligned, and all accesses are atomic.
        let (old, written) = unsafe { T::compare_exchange(self.as_ptr(), current, new, S::CODE) };
        if written {
            after::<S>(success);
            Ok(old)
        } else {
            after::<S>(failure);
            looked(self.as_ptr());
            Err(old)
        }
    }

    /// The same element for the threads of all devices and of the host.
    #[inline(always)]
    pub fn system(&self) -> &Atomic<T, System> {
        // SAFETY: the layout does not depend on the scope, and a wider scope only gives more atomicity.
        unsafe { &*(self as *const Self as *const Atomic<T, System>) }
    }

    /// The same element for the threads of one block only, which is cheaper.
    ///
    /// # Safety
    /// 1. While other blocks run, only threads of this block access the element.
    #[inline(always)]
    pub unsafe fn block(&self) -> &Atomic<T, Block> {
        // SAFETY: the layout does not depend on the scope; the caller vouches that the block is scope enough.
        unsafe { &*(self as *const Self as *const Atomic<T, Block>) }
    }
}

impl<T: AtomicInteger, S: Scope> Atomic<T, S> {
    updates! {
        /// Writes the smaller of the element and `value`; returns the old value.
        fetch_min = min;
        /// Writes the larger of the element and `value`; returns the old value.
        fetch_max = max;
        /// Writes the bitwise "and" of the element and `value`; returns the old value.
        fetch_and = and;
        /// Writes the bitwise "or" of the element and `value`; returns the old value.
        fetch_or = or;
        /// Writes the bitwise "exclusive or" of the element and `value`; returns the old value.
        fetch_xor = xor;
    }
}

impl<T, S> fmt::Debug for Atomic<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Atomic(..)")
    }
}
