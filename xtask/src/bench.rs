//! `cargo xtask bench`: the benchmarks that this machine can run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::cargo::{Mode, command, run as call};
use crate::{probe, root, toolchain};

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
    bench.args(["--package", "warpweft-benches", "--benches"]);
    if mode == Mode::Ptx && std::env::var_os("WARPWEFT_TWINS").is_none() {
        match twins() {
            Ok(dir) => drop(bench.env("WARPWEFT_TWINS", dir)),
            Err(error) => println!("twins: skipped: {error:#}"),
        }
    }
    if let Some(name) = &options.name {
        bench.args(["--bench", name]);
    }
    call(&mut bench)
}

/// Builds the CUDA C++ twins with nvcc and returns the directory of the cubins.
fn twins() -> Result<PathBuf> {
    let dir = root().join("target/twins");
    std::fs::create_dir_all(&dir)?;
    for source in std::fs::read_dir(root().join("benches/cuda"))? {
        let source = source?.path();
        let cubin = dir.join(source.file_stem().unwrap_or_default()).with_extension("cubin");
        call(Command::new("nvcc").args(["-O3", "-arch=native", "-cubin", "-o"]).arg(cubin).arg(source))?;
    }
    Ok(dir)
}
