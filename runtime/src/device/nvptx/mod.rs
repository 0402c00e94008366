//! The GPU back end: registers, barriers, shuffles and fences as `llvm.nvvm.*` intrinsics.
//!
//! Barriers, shuffles and votes are reached through intrinsics, which LLVM knows to be convergent, and never
//! through `asm!`, which it may duplicate into the arms of a branch. Block barriers are the non-aligned form
//! (`barrier.sync`): the aligned form is undefined where the lanes of a warp reach it apart (PTX ISA, "Parallel
//! Synchronization and Communication Instructions: barrier").

mod memory;
mod panic;

use super::Access;

#[link(name = "warpweft_bitcode", kind = "static")]
unsafe extern "C" {
    /// Address of the dynamic shared memory, as LLVM's shared address space cast to a generic pointer.
    fn __warpweft_shared_base() -> *mut u8;
}

macro_rules! registers {
    ($($name:ident = $link:literal;)*) => {
        unsafe extern "C" {
            $(#[link_name = $link] fn $name() -> u32;)*
        }
    };
}

registers! {
    tid_x = "llvm.nvvm.read.ptx.sreg.tid.x";
    tid_y = "llvm.nvvm.read.ptx.sreg.tid.y";
    tid_z = "llvm.nvvm.read.ptx.sreg.tid.z";
    ntid_x = "llvm.nvvm.read.ptx.sreg.ntid.x";
    ntid_y = "llvm.nvvm.read.ptx.sreg.ntid.y";
    ntid_z = "llvm.nvvm.read.ptx.sreg.ntid.z";
    ctaid_x = "llvm.nvvm.read.ptx.sreg.ctaid.x";
    ctaid_y = "llvm.nvvm.read.ptx.sreg.ctaid.y";
    ctaid_z = "llvm.nvvm.read.ptx.sreg.ctaid.z";
    nctaid_x = "llvm.nvvm.read.ptx.sreg.nctaid.x";
    nctaid_y = "llvm.nvvm.read.ptx.sreg.nctaid.y";
    nctaid_z = "llvm.nvvm.read.ptx.sreg.nctaid.z";
    laneid = "llvm.nvvm.read.ptx.sreg.laneid";
    dynamic_smem_size = "llvm.nvvm.read.ptx.sreg.dynamic_smem_size";
    activemask = "llvm.nvvm.activemask";
}

unsafe extern "C" {
    #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
    fn barrier_sync(id: u32);
    #[link_name = "llvm.nvvm.barrier.cta.red.popc.all"]
    fn barrier_red_popc(id: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.barrier.cta.red.and.all"]
    fn barrier_red_and(id: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.red.or.all"]
    fn barrier_red_or(id: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_bfly(mask: u32, value: u32, bits: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    fn vote_all_sync(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn vote_any_sync(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.membar.cta"]
    fn membar_cta();
    #[link_name = "llvm.nvvm.membar.gl"]
    fn membar_gl();
    #[link_name = "llvm.nvvm.membar.sys"]
    fn membar_sys();
}

/// Reads three registers as one triple.
macro_rules! triple {
    ($(#[$doc:meta])* $name:ident: $x:ident $y:ident $z:ident) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> [u32; 3] {
            // SAFETY: reading a special register has no effect and no precondition.
            [unsafe { $x() }, unsafe { $y() }, unsafe { $z() }]
        }
    };
}

triple! { /// Position of the thread in its block.
thread_idx: tid_x tid_y tid_z }
triple! { /// Position of the block in the grid.
block_idx: ctaid_x ctaid_y ctaid_z }
triple! { /// Threads of a block.
block_dim: ntid_x ntid_y ntid_z }
triple! { /// Blocks of the grid.
grid_dim: nctaid_x nctaid_y nctaid_z }

/// Rank of the thread in its block.
#[inline(always)]
pub fn thread_rank() -> u32 {
    let ([x, y, z], [dx, dy, _]) = (thread_idx(), block_dim());
    // A block has at most 1024 threads: no overflow.
    z.wrapping_mul(dy).wrapping_add(y).wrapping_mul(dx).wrapping_add(x)
}

/// Rank of the thread in the grid. The launcher refuses grids of 2^63 threads and more.
///
/// Most launches have one axis: there the rank is one multiplication of 32-bit registers. The test is on constants of
/// the launch, so it costs no divergence.
#[inline(always)]
pub fn grid_rank() -> u64 {
    let ([_, gy, gz], [dx, dy, dz]) = (grid_dim(), block_dim());
    // Before the test, so that the latency of the registers and that of the test overlap.
    let mut rank = (block_idx()[0] as u64).wrapping_mul(dx as u64).wrapping_add(thread_idx()[0] as u64);
    if (gy | gz | dy | dz) != 1 {
        rank = rank_of_many_axes();
    }
    rank
}

/// The rank in a grid of more than one axis, kept out of the way of the others.
#[cold]
#[inline(never)]
fn rank_of_many_axes() -> u64 {
    let ([x, y, z], [gx, gy, _], [dx, dy, dz]) = (block_idx(), grid_dim(), block_dim());
    let block = (z as u64)
        .wrapping_mul(gy as u64)
        .wrapping_add(y as u64)
        .wrapping_mul(gx as u64)
        .wrapping_add(x as u64);
    let threads = dx.wrapping_mul(dy).wrapping_mul(dz);
    block.wrapping_mul(threads as u64).wrapping_add(thread_rank() as u64)
}

/// Position of the thread in its warp.
#[inline(always)]
pub fn lane_id() -> u32 {
    // SAFETY: reading a special register has no effect and no precondition.
    unsafe { laneid() }
}

/// Lanes of the warp that execute this instruction together.
#[inline(always)]
pub fn active_mask() -> u32 {
    // SAFETY: `activemask` has no effect and no precondition.
    unsafe { activemask() }
}

/// Start of the block's dynamic shared memory.
#[inline(always)]
pub fn shared_base() -> *mut u8 {
    // SAFETY: the function only forms an address.
    unsafe { __warpweft_shared_base() }
}

/// Bytes of the block's dynamic shared memory.
#[inline(always)]
pub fn shared_bytes() -> u32 {
    // SAFETY: reading a special register has no effect and no precondition.
    unsafe { dynamic_smem_size() }
}

/// Waits for every thread of the block that has not left the kernel.
///
/// # Safety
/// 1. Every such thread reaches a barrier of the block as often as this one does.
#[inline(always)]
pub unsafe fn block_barrier() -> bool {
    // SAFETY: barrier 0 exists; the caller vouches for the pairing.
    unsafe { barrier_sync(0) };
    true
}

/// As [`block_barrier`]; returns how many threads passed `true`.
///
/// # Safety
/// As [`block_barrier`], and the threads meet at barriers of this very kind.
#[inline(always)]
pub unsafe fn block_barrier_count(predicate: bool) -> u32 {
    // SAFETY: barrier 0 exists; the caller vouches for the pairing.
    unsafe { barrier_red_popc(0, predicate) }
}

/// As [`block_barrier`]; returns whether every thread passed `true`.
///
/// # Safety
/// As [`block_barrier`], and the threads meet at barriers of this very kind.
#[inline(always)]
pub unsafe fn block_barrier_and(predicate: bool) -> bool {
    // SAFETY: barrier 0 exists; the caller vouches for the pairing.
    unsafe { barrier_red_and(0, predicate) }
}

/// As [`block_barrier`]; returns whether some thread passed `true`.
///
/// # Safety
/// As [`block_barrier`], and the threads meet at barriers of this very kind.
#[inline(always)]
pub unsafe fn block_barrier_or(predicate: bool) -> bool {
    // SAFETY: barrier 0 exists; the caller vouches for the pairing.
    unsafe { barrier_red_or(0, predicate) }
}

/// Waits for the lanes of `mask`, and orders their memory accesses.
///
/// # Safety
/// 1. The calling lane is in `mask`.
/// 2. Every lane of `mask` that has not left the kernel executes this with the same mask.
#[inline(always)]
pub unsafe fn warp_barrier(mask: u32) {
    // SAFETY: forwarded.
    unsafe { bar_warp_sync(mask) }
}

/// The `c` operand of `shfl.sync` for segments of `width` lanes: the segment mask in bits 8..13, the clamp below.
#[inline(always)]
fn segment(width: u32, clamp: u32) -> u32 {
    (32u32.wrapping_sub(width) << 8) | clamp
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident, $clamp:literal;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// 1. The calling lane is in `mask`, and every lane of `mask` executes this together with it.
        /// 2. `width` is 2, 4, 8, 16 or 32, the same in all these lanes.
        #[inline(always)]
        pub unsafe fn $name(mask: u32, value: u32, source: u32, width: u32) -> u32 {
            // SAFETY: forwarded.
            unsafe { $intrinsic(mask, value, source, segment(width, $clamp)) }
        }
    )* };
}

shuffles! {
    /// The value of lane `source` of the segment.
    shuffle_idx = shfl_idx, 31;
    /// The value of the lane `source` below.
    shuffle_up = shfl_up, 0;
    /// The value of the lane `source` above.
    shuffle_down = shfl_down, 31;
    /// The value of the lane whose number differs in the bits `source`.
    shuffle_xor = shfl_bfly, 31;
}

macro_rules! votes {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident -> $result:ty;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// 1. The calling lane is in `mask`, and every lane of `mask` executes this together with it.
        #[inline(always)]
        pub unsafe fn $name(mask: u32, predicate: bool) -> $result {
            // SAFETY: forwarded.
            unsafe { $intrinsic(mask, predicate) }
        }
    )* };
}

votes! {
    /// The lanes of `mask` that passed `true`.
    ballot = vote_ballot_sync -> u32;
    /// Whether every lane of `mask` passed `true`.
    vote_all = vote_all_sync -> bool;
    /// Whether some lane of `mask` passed `true`.
    vote_any = vote_any_sync -> bool;
}

/// Orders memory accesses for the threads of the block.
#[inline(always)]
pub fn fence_block() {
    // SAFETY: a fence has no precondition.
    unsafe { membar_cta() }
}

/// Orders memory accesses for the threads of the device.
#[inline(always)]
pub fn fence_device() {
    // SAFETY: a fence has no precondition.
    unsafe { membar_gl() }
}

/// Orders memory accesses for the threads of the system, the host's included.
#[inline(always)]
pub fn fence_system() {
    // SAFETY: a fence has no precondition.
    unsafe { membar_sys() }
}

/// Does nothing: the warp scheduler lets others run.
#[inline(always)]
pub fn spin_hint() {}

/// Tells no one: the GPU has no checkers.
#[inline(always)]
pub fn access<T>(_address: *const T, _kind: Access) {}
