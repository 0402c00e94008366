//! What kernel code may call, on both targets.
//!
//! Everything here is `no_std` and is compiled twice: for nvptx64, where it becomes instructions, and for the
//! host, where the simulator runs it. The machine itself is reached only through `backend`, two modules with
//! the same list of functions: `device::nvptx` on the GPU and `sim::backend` on the CPU.
//!
//! # The functions of a back end
//! The registers and the rank of the calling thread; axes are ordered x, y, z:
//! ```text
//! fn thread_idx() -> [u32; 3]             position of the thread in its block
//! fn block_idx() -> [u32; 3]              position of the block in the grid
//! fn block_dim() -> [u32; 3]              threads of a block
//! fn grid_dim() -> [u32; 3]               blocks of the grid
//! fn thread_rank() -> u32                 (z * dim.y + y) * dim.x + x in the block
//! fn grid_rank() -> u64                   rank of the block in the grid * threads of a block + thread_rank
//! fn lane_id() -> u32                     thread_rank modulo 32
//! fn active_mask() -> u32                 lanes of the warp that execute this together
//! ```
//! The dynamic shared memory of the block, aligned to 16 bytes:
//! ```text
//! fn shared_base() -> *mut u8
//! fn shared_bytes() -> u32
//! ```
//! Barriers. A thread that has left the kernel counts as arrived; on the CPU a panicking thread has left when
//! its unwinding is over, not before:
//! ```text
//! unsafe fn block_barrier() -> bool       false if it did not wait: the thread is unwinding from a panic
//! unsafe fn block_barrier_count(predicate: bool) -> u32
//! unsafe fn block_barrier_and(predicate: bool) -> bool
//! unsafe fn block_barrier_or(predicate: bool) -> bool
//! unsafe fn warp_barrier(mask: u32)
//! ```
//! Exchange within a warp; `width` is 2, 4, 8, 16 or 32, and a source outside the segment means the caller's own
//! value (PTX ISA, `shfl.sync`):
//! ```text
//! unsafe fn shuffle_idx (mask: u32, value: u32, lane: u32,  width: u32) -> u32
//! unsafe fn shuffle_up  (mask: u32, value: u32, delta: u32, width: u32) -> u32
//! unsafe fn shuffle_down(mask: u32, value: u32, delta: u32, width: u32) -> u32
//! unsafe fn shuffle_xor (mask: u32, value: u32, bits: u32,  width: u32) -> u32
//! unsafe fn ballot(mask: u32, predicate: bool) -> u32
//! unsafe fn vote_all(mask: u32, predicate: bool) -> bool
//! unsafe fn vote_any(mask: u32, predicate: bool) -> bool
//! ```
//! A turn of a loop that waits for another thread calls `spin_hint`, so that the simulator lets the others run:
//! ```text
//! fn spin_hint()
//! ```
//! Order of memory accesses, and the hook of the checkers, which is empty on the GPU. `access` is called before
//! every raw or atomic access of this layer, with `#[track_caller]` all the way up to the kernel's line:
//! ```text
//! fn fence_block()
//! fn fence_device()
//! fn fence_system()
//! fn access<T>(address: *const T, kind: Access)       #[track_caller]
//! ```

pub mod atomic;
pub mod barrier;
pub mod math;
pub mod shared;
pub mod thread;
pub mod view;
pub mod warp;

#[cfg(target_arch = "nvptx64")]
mod nvptx;
#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests;

#[cfg(target_arch = "nvptx64")]
use nvptx as backend;

#[cfg(not(target_arch = "nvptx64"))]
use crate::sim::backend;

/// How a raw or atomic operation touches memory: what a back end's checkers are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "the GPU has no checkers")]
pub(crate) enum Access {
    /// A plain read.
    Load,
    /// A plain write.
    Store,
    /// An atomic read.
    AtomicLoad,
    /// An atomic write.
    AtomicStore,
    /// An atomic read-modify-write, a failed compare-exchange included.
    AtomicUpdate,
}
