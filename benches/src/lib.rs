//! What the benchmarks share: medians, paired measurements, and results as JSON.
//!
//! A benchmark measures the kernel and its twin from nvcc in one process, in turns, so that clocks and heat treat both
//! alike, and it checks the results of both before it times them.

mod record;
mod stats;
#[cfg(not(sim))]
pub mod twin;

pub use record::{Record, results_dir};
pub use stats::{Timed, in_turns};

/// Tells whether to measure: `cargo bench` passes `--bench`, `cargo test --all-targets` only sees that it builds.
pub fn asked_for() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Why a benchmark did not run, or failed.
pub type Error = Box<dyn std::error::Error>;
/// The result of a benchmark.
pub type Result<T, E = Error> = std::result::Result<T, E>;
