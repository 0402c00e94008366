//! Bare barriers of the block: the parts of which raw kernels are made. Safe code uses
//! [`Phase::sync`](super::shared::Phase::sync) and [`Rounds::sync`](super::shared::Rounds::sync).
//!
//! A barrier pairs by *count*, not by place: the n-th barrier of one thread is met by the n-th barrier of every
//! other, wherever in the code it stands (PTX ISA, `barrier`). A thread that has left the kernel, by return or
//! by panic, counts as arrived.

use super::backend;

/// Waits until every thread of the block that has not left the kernel is here, and orders memory accesses of the
/// block: what was written before is visible after.
///
/// # Safety
/// 1. Every thread of the block that has not left the kernel reaches a barrier as often as this one.
/// 2. If the kernel uses phases of shared memory, every such thread reaches this barrier between the same two
///    `sync` of its phase.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_threads() {
    // SAFETY: the caller's duty 1.
    let _waited = unsafe { backend::block_barrier() };
}

/// As [`sync_threads`]; returns how many threads passed `true`.
///
/// # Safety
/// 1. As [`sync_threads`], 1 and 2.
/// 2. All these threads meet at `sync_threads_count`, none at a barrier of another kind.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_threads_count(predicate: bool) -> u32 {
    // SAFETY: the caller's duties.
    unsafe { backend::block_barrier_count(predicate) }
}

/// As [`sync_threads`]; returns whether every thread passed `true`.
///
/// # Safety
/// 1. As [`sync_threads`], 1 and 2.
/// 2. All these threads meet at `sync_threads_and`, none at a barrier of another kind.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_threads_and(predicate: bool) -> bool {
    // SAFETY: the caller's duties.
    unsafe { backend::block_barrier_and(predicate) }
}

/// As [`sync_threads`]; returns whether some thread passed `true`.
///
/// # Safety
/// 1. As [`sync_threads`], 1 and 2.
/// 2. All these threads meet at `sync_threads_or`, none at a barrier of another kind.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_threads_or(predicate: bool) -> bool {
    // SAFETY: the caller's duties.
    unsafe { backend::block_barrier_or(predicate) }
}
