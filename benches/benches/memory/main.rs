//! What safety costs: seven kernels that use shared memory, each in a safe form (phases), in a raw form (`unsafe`) and
//! as nvcc builds it (`cuda/memory.cu`), with the same algorithm and shape, in turns, medians of 20.

use warpweft::prelude::*;

mod raw;
mod safe;

/// Threads of a block of the one-dimensional kernels.
#[device]
const THREADS: usize = 256;
/// Rows and columns of a tile of `matmul`, whose blocks have one thread for each of its elements.
#[device]
const MATMUL_TILE: usize = 16;
/// Rows and columns of a tile of `transpose`, whose blocks have one thread for each of its elements.
#[device]
const TRANSPOSE_TILE: usize = 32;
/// How far the neighbours of an element are that `stencil` adds.
#[device]
const RADIUS: usize = 3;
/// Bins of `histogram`: one for each value of a byte.
#[device]
const BINS: usize = 256;
/// Words of four bytes that a block of `histogram` counts.
#[device]
const HISTOGRAM_WORDS: usize = 32 * THREADS;

fn main() -> warpweft_benches::Result<()> {
    if warpweft_benches::asked_for() { gpu::run() } else { Ok(()) }
}

#[cfg(sim)]
mod gpu {
    /// Says why there is nothing to measure.
    pub fn run() -> warpweft_benches::Result<()> {
        println!("memory: skipped: this is a `--cfg sim` build");
        Ok(())
    }
}

#[cfg(not(sim))]
mod gpu;
