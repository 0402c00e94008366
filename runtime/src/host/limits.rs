//! What a device allows a launch to ask for.

use crate::host::grid::Dim3;

/// The limits of a device, real or simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Compute capability, major and minor: (9, 0) for sm_90.
    pub compute_capability: (u32, u32),
    /// Most blocks of a grid along each axis.
    pub grid: Dim3,
    /// Most threads of a block along each axis.
    pub block: Dim3,
    /// Most threads of a block over all axes.
    pub threads_per_block: u32,
    /// Threads of a warp.
    pub warp_size: u32,
    /// Shared memory of a block without opting in, in bytes.
    pub shared_bytes_per_block: usize,
    /// Shared memory of a block at most, in bytes. The launch opts in by itself.
    pub shared_bytes_per_block_optin: usize,
    /// Registers of a block, 32 bits each.
    pub registers_per_block: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Most threads that reside on one multiprocessor.
    pub threads_per_multiprocessor: u32,
}

impl Limits {
    /// Returns the limits of the device that the simulator stands for.
    pub(crate) fn simulated() -> Self {
        let limits = crate::sim::limits();
        Self {
            compute_capability: limits.compute_capability,
            grid: limits.grid.into(),
            block: limits.block.into(),
            threads_per_block: limits.block_threads,
            warp_size: limits.warp_size,
            shared_bytes_per_block: limits.shared_bytes,
            shared_bytes_per_block_optin: limits.shared_bytes_opt_in,
            registers_per_block: 65_536,
            multiprocessors: limits.multiprocessors,
            threads_per_multiprocessor: limits.threads_per_multiprocessor,
        }
    }
}
