//! `cargo xtask bench`: the benchmarks that this machine can run.

use anyhow::Result;
use clap::Args;

use crate::cargo::{Mode, command, run as call};
use crate::{probe, toolchain};

/// Options of `cargo xtask bench`.
#[derive(Args)]
pub struct Options {
    /// Run only the benchmark of this name.
    name: Option<String>,
}

/// Runs the benchmarks; results go to the standard output as JSON, one line each.
///
/// # Errors
/// When a benchmark cannot be built, or fails.
pub fn run(options: &Options) -> Result<()> {
    let mode = match toolchain::ready(true) {
        Ok(_) => Mode::Ptx,
        Err(missing) => {
            println!("GPU benchmarks: skipped: no device toolchain\n{missing}");
            Mode::Sim
        }
    };
    if let Err(reason) = probe::gpus() {
        println!("GPU benchmarks: skipped: {reason}");
    }
    let mut bench = command(mode, "bench");
    bench.args(["--package", "warpweft-benches"]);
    if let Some(name) = &options.name {
        bench.args(["--bench", name]);
    }
    call(&mut bench)
}
