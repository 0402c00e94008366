//! The CPU half of the device layer's back end: the same functions, by name and signature, as the GPU's.
//!
//! Outside a launch there is no thread to speak of: every function that asks about one panics and says so. The
//! fences and [`spin_hint`] are harmless anywhere.

use std::sync::atomic::{Ordering, fence};

use super::current::{CURRENT, Current, OUTSIDE};

#[inline(always)]
fn current<R>(read: impl FnOnce(&Current) -> R) -> R {
    CURRENT.with(read)
}

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
    let [x, y, z, _] = current(|c| c.thread.get());
    if x == OUTSIDE {
        outside()
    }
    [x, y, z]
}

/// Index of this block in the grid, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn block_idx() -> [u32; 3] {
    let index = current(|c| c.block_idx.get());
    if index[0] == OUTSIDE {
        outside()
    }
    index
}

/// Size of a block in threads, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn block_dim() -> [u32; 3] {
    let size = current(|c| c.block_dim.get());
    if size[0] == 0 {
        outside()
    }
    size
}

/// Size of the grid in blocks, along x, y and z.
#[inline(always)]
#[track_caller]
pub(crate) fn grid_dim() -> [u32; 3] {
    let size = current(|c| c.grid_dim.get());
    if size[0] == 0 {
        outside()
    }
    size
}

/// Rank of this thread in its block, x fastest.
#[inline(always)]
#[track_caller]
pub(crate) fn thread_rank() -> u32 {
    let [.., rank] = current(|c| c.thread.get());
    if rank == OUTSIDE {
        outside()
    }
    rank
}

/// Rank of this thread over the whole grid: blocks in order (x fastest), and in each its threads.
#[inline(always)]
#[track_caller]
pub(crate) fn grid_rank() -> u64 {
    u64::from(thread_rank()) + current(|c| c.first_rank.get())
}

/// Lane of this thread in its warp, 0 to 31.
#[inline(always)]
#[track_caller]
pub(crate) fn lane_id() -> u32 {
    thread_rank() % 32
}

/// Start of the block's shared memory, aligned to 128 bytes.
#[inline(always)]
#[track_caller]
pub(crate) fn shared_base() -> *mut u8 {
    let _ = thread_rank();
    current(|c| c.shared_base.get())
}

/// Bytes of the block's shared memory.
#[inline(always)]
#[track_caller]
pub(crate) fn shared_bytes() -> u32 {
    let _ = thread_rank();
    current(|c| c.shared_bytes.get())
}

/// Orders this thread's memory accesses for the threads of its block.
#[inline(always)]
pub(crate) fn fence_block() {
    fence(Ordering::SeqCst)
}

/// Orders this thread's memory accesses for every thread of the device.
#[inline(always)]
pub(crate) fn fence_device() {
    fence(Ordering::SeqCst)
}

/// Orders this thread's memory accesses for the device and the host.
#[inline(always)]
pub(crate) fn fence_system() {
    fence(Ordering::SeqCst)
}

/// Lets other simulated threads run: to be called by every turn of a loop that waits for another thread.
#[inline(always)]
pub(crate) fn spin_hint() {
    std::hint::spin_loop()
}
