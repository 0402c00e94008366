//! From a launch to its blocks.

use super::current::{CURRENT, OUTSIDE};
use crate::host::KernelPanic;

/// What a launch is to run.
#[derive(Clone, Debug)]
pub(crate) struct LaunchSpec {
    /// Blocks along x, y and z, within [`limits`](super::limits).
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z, within [`limits`](super::limits).
    pub block: [u32; 3],
    /// Shared memory of each block in bytes.
    pub shared_bytes: usize,
    /// Name of the kernel, for reports.
    pub kernel: &'static str,
    /// Number of the launch, for reports.
    pub launch: u64,
}

/// Runs `kernel` once for every thread of the launch and returns when all have ended.
///
/// # Errors
/// The first panic, in the order of block and thread, of the threads that panicked.
pub(crate) fn run<F: Fn() + Sync>(spec: &LaunchSpec, kernel: F) -> Result<(), KernelPanic> {
    // The engine with waiting threads takes the place of this loop.
    let mut shared = vec![0xa5_a5_a5_a5_u128; spec.shared_bytes.div_ceil(16)];
    let [[gx, gy, gz], [bx, by, bz]] = [spec.grid, spec.block];
    CURRENT.with(|c| {
        c.grid_dim.set(spec.grid);
        c.block_dim.set(spec.block);
        c.shared_base.set(shared.as_mut_ptr().cast());
        c.shared_bytes.set(spec.shared_bytes as u32);
        c.first_rank.set(0);
        for (x, y, z) in (0..gz).flat_map(|z| (0..gy).flat_map(move |y| (0..gx).map(move |x| (x, y, z)))) {
            c.block_idx.set([x, y, z]);
            let mut rank = 0;
            for (x, y, z) in (0..bz).flat_map(|z| (0..by).flat_map(move |y| (0..bx).map(move |x| (x, y, z))))
            {
                c.thread.set([x, y, z, rank]);
                kernel();
                rank += 1;
            }
            c.first_rank.set(c.first_rank.get() + u64::from(rank));
        }
        c.thread.set([OUTSIDE; 4]);
        c.block_idx.set([OUTSIDE; 3]);
    });
    Ok(())
}
