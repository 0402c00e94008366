//! The simulator: runs a kernel on CPU threads, as the GPU would.
//!
//! A launch owns everything it needs, so launches nest and run side by side from any number of host threads.
//! The blocks of a small launch run on the calling thread, those of a large one on the rayon pool as well. The
//! threads of a block are coroutines on one OS thread (they never leave it), started one after another only
//! when they are needed: a kernel in which no thread waits is a plain loop over the threads.
//!
//! # Modes
//! *Fast* mode, the default, is parallel and unchecked. *Checked* mode runs a launch in an order that a seed decides, and
//! reports races, reads of shared memory that nobody has written, and barriers that part of a block has left behind
//! ([`check`]). The environment chooses: `WARPWEFT_SIM=checked`, `WARPWEFT_SIM=strict` (hints are errors too), and
//! `WARPWEFT_SIM_SEED=N`.
//!
//! # Differences from a GPU
//! - A shuffle or vote whose mask names a lane that has left the kernel, or that the block does not have, is a panic;
//!   on a GPU the lane reads as 0 or as anything. A lane, warp or block that waits for what can never come is a panic
//!   too, where a GPU hangs.
//! - Shared memory is filled with the byte 0xa5 for each block; on a GPU it holds what was there before.
//! - Of several panics of a launch the first by block and thread is reported; on a GPU the first in time.
//!
//! # Limitations
//! - A thread's stack has 256 KiB. Where it overflows, the process ends with a segmentation fault.
//! - Panics need unwinding: with `panic = "abort"` a panic in a kernel ends the process.
//! - The place of a panic is known to the panic hook alone. A hook that the program sets after its first launch prints
//!   the panics of simulated threads, and their reports lack the place.
//! - A loop that waits for another thread must pass through an atomic operation of the device layer, or through
//!   a barrier: a loop around a plain load never lets the other thread run.

pub(crate) mod backend;
mod block;
mod check;
mod current;
mod launch;
mod limits;
mod panic;
mod shared;
mod stack;
mod warp;
mod worker;

pub(crate) use launch::{LaunchSpec, run};
pub(crate) use limits::limits;

#[cfg(test)]
mod tests;
