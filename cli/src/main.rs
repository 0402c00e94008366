//! `cargo warpweft`: tells whether a machine can build and run GPU kernels, mends what is lacking, and cleans up.

mod doctor;
mod driver;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use warpweft_build::{cache, install};

/// The command line as cargo hands it on: `cargo-warpweft warpweft doctor`.
#[derive(Parser)]
#[command(name = "cargo", bin_name = "cargo")]
enum Cargo {
    /// Sets up, inspects and cleans Warpweft on this machine.
    #[command(version)]
    Warpweft {
        #[command(subcommand)]
        command: Command,
    },
}

#[derive(Subcommand)]
enum Command {
    /// Tells what is here to build and run GPU kernels, and which command mends each lack.
    Doctor,
    /// Installs a device toolchain, if none is here, by the first way that works, and makes it ready.
    Setup,
    /// Removes everything that Warpweft compiled and cached for this user.
    Clean,
}

fn main() -> ExitCode {
    let Cargo::Warpweft { command } = Cargo::parse();
    match command {
        Command::Doctor => doctor::run(),
        Command::Setup => setup(),
        Command::Clean => clean(),
    }
}

fn setup() -> ExitCode {
    let report = &mut |step: &str| println!("warpweft: {step}");
    let toolchain = match install::install(report) {
        Ok(toolchain) => toolchain,
        Err(error) => return fail(&error.to_string()),
    };
    println!("device toolchain: {toolchain}");
    match install::prepare(&toolchain, report) {
        Ok(()) => {
            println!("ready");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn clean() -> ExitCode {
    let removed = cache::directory().and_then(|place| Ok((place, cache::clean()?)));
    match removed {
        Ok((place, 0)) => {
            println!("{} holds nothing", place.display());
            ExitCode::SUCCESS
        }
        Ok((place, bytes)) => {
            println!("removed {} ({})", place.display(), megabytes(bytes));
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(text: &str) -> ExitCode {
    eprintln!("warpweft: {text}");
    ExitCode::FAILURE
}

/// A size for people.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Cargo::command().debug_assert();
        assert!(Cargo::try_parse_from(["cargo-warpweft", "warpweft", "doctor"]).is_ok());
    }
}
