//! The CPU half of the device layer's back end: the same functions, by name and signature, as the GPU's.
//!
//! Outside a launch there is no thread to speak of: every function that asks about one panics and says so. The
//! fences and [`spin_hint`] are harmless anywhere.

use std::panic::Location;
use std::sync::atomic::{Ordering, fence};

use super::block::Block;
use super::current::{Current, OUTSIDE};
use super::panic::fail_in_consequence;
use super::warp::{Arrival, Fault, LANES, Operation, describe};
use crate::device::Access;

#[cold]
#[inline(never)]
#[track_caller]
fn outside() -> ! {
    panic!(
        "a device function was called outside any launch: on the CPU it can only run inside a kernel that was launched on the simulator"
    )
}

/// Index of this thread in its block, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn thread_idx() -> [u32; 3] {
    let index = Current::here().thread();
    if index[0] == OUTSIDE {
        outside()
    }
    index
}

/// Index of this block in the grid, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn block_idx() -> [u32; 3] {
    let index = Current::here().block_idx.get();
    if index[0] == OUTSIDE {
        outside()
    }
    index
}

/// Size of a block in threads, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn block_dim() -> [u32; 3] {
    let size = Current::here().block_dim.get();
    if size[0] == 0 {
        outside()
    }
    size
}

/// Size of the grid in blocks, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn grid_dim() -> [u32; 3] {
    let size = Current::here().grid_dim.get();
    if size[0] == 0 {
        outside()
    }
    size
}

/// Rank of this thread in its block, x fastest.
#[inline(always)]
#[track_caller]
pub(crate) fn thread_rank() -> u32 {
    let rank = Current::here().rank();
    if rank == OUTSIDE {
        outside()
    }
    rank
}

/// Rank of this thread over the whole grid: blocks in order (x fastest), and in each its threads.
#[inline(always)]
#[track_caller]
pub(crate) fn grid_rank() -> u64 {
    u64::from(thread_rank()) + Current::here().first_rank.get()
}

/// Lane of this thread in its warp, 0 to 31.
#[inline(always)]
#[track_caller]
pub(crate) fn lane_id() -> u32 {
    thread_rank() % LANES
}

/// Lanes of the warp that execute this together: here the calling lane alone, since the lanes of a simulated warp
/// run one after another. (On the GPU, too, a correct kernel must work with any set that holds the caller.)
#[inline(always)]
#[track_caller]
pub(crate) fn active_mask() -> u32 {
    1 << lane_id()
}

/// Start of the block's shared memory, aligned to 128 bytes.
#[inline(always)]
#[track_caller]
pub(crate) fn shared_base() -> *mut u8 {
    let _ = thread_rank();
    Current::here().shared_base.get()
}

/// Bytes of the block's shared memory.
#[inline(always)]
#[track_caller]
pub(crate) fn shared_bytes() -> u32 {
    let _ = thread_rank();
    Current::here().shared_bytes.get()
}

/// Orders this thread's memory accesses for the threads of its block.
#[inline(always)]
pub(crate) fn fence_block() {
    fence(Ordering::SeqCst);
    note_fence();
}

/// Orders this thread's memory accesses for every thread of the device.
#[inline(always)]
pub(crate) fn fence_device() {
    fence(Ordering::SeqCst);
    note_fence();
}

/// Orders this thread's memory accesses for the device and the host.
#[inline(always)]
pub(crate) fn fence_system() {
    fence(Ordering::SeqCst);
    note_fence();
}

/// The block of the running thread, if the thread may wait: a thread that is unwinding from a panic may not.
#[inline(always)]
#[track_caller]
fn waiting_place(c: &Current) -> Option<&Block> {
    if c.rank() == OUTSIDE {
        outside()
    }
    // No simulated thread is suspended while it unwinds, and none starts in an unwinding one (`sim::run`): so if this
    // OS thread is unwinding, it is in this simulated thread.
    if std::thread::panicking() {
        return None;
    }
    // SAFETY: while a simulated thread runs, this points to its block.
    Some(unsafe { &*c.block.get() })
}

#[cold]
#[inline(never)]
#[track_caller]
fn waited_in_vain(block: &Block) -> ! {
    fail_in_consequence(&format!("this thread would wait for ever: {}", block.verdict.borrow()))
}

/// Waits for the block; returns how many threads took part, and how many voted for it. A thread that is unwinding does
/// not wait.
#[inline(always)]
#[track_caller]
fn meet(vote: bool) -> Option<(u32, u32)> {
    let c = Current::here();
    let block = waiting_place(c)?;
    if c.checker().is_some() {
        block.barrier_place.set(Some(Location::caller()));
    }
    let before = block.meetings.get();
    if !block.arrive(c, c.runner.get(), vote) {
        // SAFETY: a thread runs, and `arrive` has put it into the barrier's queue.
        unsafe { c.park() };
        // Other threads may have caught their cancelling and come here, so that the barrier was met after all.
        if c.cancel.get() && block.meetings.get() == before {
            waited_in_vain(block)
        }
    }
    Some(block.result.get())
}

/// Waits for every thread of the block that has not left the kernel. Returns false, without waiting, in a thread that is
/// unwinding from a panic.
///
/// # Safety
/// None here: what the GPU leaves undefined, the simulator reports.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn block_barrier() -> bool {
    meet(false).is_some()
}

/// As [`block_barrier`]; returns how many threads passed `true`.
///
/// # Safety
/// As [`block_barrier`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn block_barrier_count(predicate: bool) -> u32 {
    meet(predicate).map_or(u32::from(predicate), |(_, votes)| votes)
}

/// As [`block_barrier`]; returns whether every thread passed `true`.
///
/// # Safety
/// As [`block_barrier`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn block_barrier_and(predicate: bool) -> bool {
    meet(predicate).map_or(predicate, |(all, votes)| all == votes)
}

/// As [`block_barrier`]; returns whether some thread passed `true`.
///
/// # Safety
/// As [`block_barrier`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn block_barrier_or(predicate: bool) -> bool {
    meet(predicate).map_or(predicate, |(_, votes)| votes != 0)
}

/// Does something together with the lanes of a mask.
#[inline(always)]
#[track_caller]
fn together(operation: Operation, mask: u32, value: u32, source: u32, width: u32) -> u32 {
    let c = Current::here();
    let Some(block) = waiting_place(c) else { return value };
    block.take_leave(c);
    let place = Location::caller();
    let arrival = Arrival { operation, mask, value, source, width, place };
    let rank = c.rank();
    if !block.warps.arrive(block.index.get(), rank, c.runner.get(), block.ready(), &arrival) {
        // SAFETY: a thread runs, and waits in its slot, from which the last lane to come makes it ready.
        unsafe { c.park() };
        if c.cancel.get() {
            waited_in_vain(block)
        }
    }
    match block.warps.result(rank) {
        Ok(result) => result,
        Err(fault) => fail(operation, mask, rank % LANES, fault),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn fail(operation: Operation, mask: u32, lane: u32, fault: Fault) -> ! {
    let message = describe(operation, mask, lane, fault);
    match fault {
        // Perhaps it left by a panic of its own, which then is the one to report.
        Fault::Left(_) => fail_in_consequence(&message),
        _ => panic!("{message}"),
    }
}

/// Waits for the lanes of `mask` that have not left the kernel.
///
/// # Safety
/// None here: what the GPU leaves undefined, the simulator reports.
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn warp_barrier(mask: u32) {
    together(Operation::Barrier, mask, 0, 0, LANES);
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident = $operation:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// None here: a lane of `mask` that has left the kernel, that the block lacks, or that never comes is reported
        /// by a panic of the lanes that wait for it. (On the GPU such a lane reads as 0 or as anything.)
        #[inline(always)]
        #[track_caller]
        pub(crate) unsafe fn $name(mask: u32, value: u32, source: u32, width: u32) -> u32 {
            together(Operation::$operation, mask, value, source, width)
        }
    )* };
}

shuffles! {
    /// The value of lane `source` of the segment.
    shuffle_idx = ShuffleIdx;
    /// The value of the lane `source` below.
    shuffle_up = ShuffleUp;
    /// The value of the lane `source` above.
    shuffle_down = ShuffleDown;
    /// The value of the lane whose number differs in the bits `source`.
    shuffle_xor = ShuffleXor;
}

/// The lanes of `mask` that passed `true`.
///
/// # Safety
/// As for [`shuffle_idx`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    together(Operation::Ballot, mask, u32::from(predicate), 0, LANES)
}

/// Whether every lane of `mask` passed `true`.
///
/// # Safety
/// As for [`shuffle_idx`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn vote_all(mask: u32, predicate: bool) -> bool {
    together(Operation::VoteAll, mask, u32::from(predicate), 0, LANES) != 0
}

/// Whether some lane of `mask` passed `true`.
///
/// # Safety
/// As for [`shuffle_idx`].
#[inline(always)]
#[track_caller]
pub(crate) unsafe fn vote_any(mask: u32, predicate: bool) -> bool {
    together(Operation::VoteAny, mask, u32::from(predicate), 0, LANES) != 0
}

/// Lets other simulated threads run: to be called by every turn of a loop that waits for another thread.
#[inline(always)]
#[track_caller]
pub(crate) fn spin_hint() {
    let c = Current::here();
    std::hint::spin_loop();
    if c.is_inside()
        && let Some(block) = waiting_place(c)
    {
        block.take_leave(c);
        block.spinning.push(c.runner.get());
        // SAFETY: a thread runs, and stands in the queue of those that spin.
        unsafe { c.park() };
        if c.cancel.get() {
            waited_in_vain(block)
        }
    }
}

/// Tells the checkers that the thread passes a fence. The fences of this module do so by themselves.
#[inline(always)]
pub(crate) fn note_fence() {
    let c = Current::here();
    if let Some(checker) = c.checker()
        && c.is_inside()
    {
        // SAFETY: while a simulated thread runs, this points to its block.
        checker.fence(c, unsafe { &*c.block.get() });
    }
}

/// Tells the checkers that the thread is about to access memory.
#[inline(always)]
#[track_caller]
pub(crate) fn access<T>(address: *const T, kind: Access) {
    let c = Current::here();
    if let Some(checker) = c.checker()
        && c.is_inside()
    {
        let bytes = (address.addr(), size_of::<T>());
        // SAFETY: while a simulated thread runs, this points to its block.
        checker.access(c, unsafe { &*c.block.get() }, bytes, kind, Location::caller());
    }
}
