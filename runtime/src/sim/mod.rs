//! The simulator: runs a kernel on CPU threads, as the GPU would.
//!
//! A launch owns everything it needs, so launches nest and run side by side from any number of host threads.
//! The blocks of a small launch run on the calling thread, those of a large one on the rayon pool as well. The
//! threads of a block are coroutines on one OS thread (they never leave it), started one after another only
//! when they are needed: a kernel in which no thread waits is a plain loop over the threads.

pub(crate) mod backend;
mod block;
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
