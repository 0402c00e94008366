//! The repository's own chores: `cargo xtask demo`, `test`, `lint`, `bless`, `gpu`, `bench`.
//!
//! CI runs nothing that a person cannot run with these commands.

mod bench;
mod bless;
mod cargo;
mod demo;
mod gpu;
mod lint;
mod probe;
mod progress;
mod ptx;
mod stand_alone;
mod test;
mod toolchain;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of the Warpweft repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compile every kernel to PTX and run the examples, on the GPU or else on the simulator.
    Demo(demo::Options),
    /// Run the whole test suite; groups that cannot run here are listed with the reason.
    Test(test::Options),
    /// Check formatting, clippy, documentation, licences and the README.
    Lint,
    /// Rewrite the blessed files (expansions, error texts, PTX) from what the code does now.
    Bless,
    /// Make `.gpu/`: binaries and a script that test and measure on a GPU machine without cargo.
    Gpu(gpu::Options),
    /// Run the benchmarks that this machine can run.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().chore {
        Chore::Demo(options) => demo::run(&options),
        Chore::Test(options) => test::run(&options),
        Chore::Lint => lint::run(),
        Chore::Bless => bless::run(),
        Chore::Gpu(options) => gpu::run(&options),
        Chore::Bench(options) => bench::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the root of the repository.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}
