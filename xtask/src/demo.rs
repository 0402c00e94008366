//! `cargo xtask demo`: from nothing to pictures.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::cargo::{self, Artifact, Mode};
use crate::progress::{Step, seconds};
use crate::{probe, root, toolchain};

/// The examples, in the order in which they are shown.
const EXAMPLES: [&str; 4] = ["saxpy", "mandelbrot", "photo", "nbody"];

/// The picture that `photo` works on when none is named.
const PICTURE: &str = "examples/pictures/astronaut.jpg";

/// Options of `cargo xtask demo`.
#[derive(Args)]
pub struct Options {
    /// The picture, PNG or JPEG, that the example `photo` works on.
    picture: Option<PathBuf>,
    /// Use the simulator only (`--cfg sim`): no device toolchain, no GPU.
    #[arg(long)]
    sim: bool,
}

/// Runs the demonstration.
///
/// # Errors
/// When the examples cannot be built, or one of them fails.
pub fn run(options: &Options) -> Result<()> {
    let picture = match &options.picture {
        Some(picture) => std::path::absolute(picture)?,
        None => root().join(PICTURE),
    };
    let mode = if options.sim { Mode::Sim } else { choose()? };
    let step = Step::start("building the examples");
    let mut build = cargo::command(mode, "build");
    build.args(["--release", "--package", "warpweft-examples", "--bins"]);
    step.say("cargo's own output follows");
    let built = cargo::build(&mut build)?;
    step.end(&format!("{} programs", built.artifacts.len()));

    let gpus = probe::gpus();
    match (mode, &gpus) {
        (Mode::Ptx, Ok(_)) => println!("The examples run on the GPU.\n"),
        (Mode::Ptx, Err(reason)) => println!("The examples run on the simulator: {reason}.\n"),
        (Mode::Sim, _) => println!("The examples run on the simulator: this is a `--cfg sim` build.\n"),
    }
    let out = root().join("target/demo");
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    for name in EXAMPLES {
        let program = built.artifacts.iter().find(|artifact| artifact.name == name);
        show(program.with_context(|| format!("cargo built no example `{name}`"))?, &out, &picture)?;
    }
    println!("The pictures lie in {}", out.display());
    Ok(())
}

/// Finds or installs a device toolchain; without one, says what was tried and falls back to `--cfg sim`.
fn choose() -> Result<Mode> {
    match toolchain::ready(true) {
        Ok(name) => {
            println!("Device toolchain: {name}");
            Ok(Mode::Ptx)
        }
        Err(tried) => {
            println!(
                "{tried}\n\nWithout a device toolchain there is no PTX. The simulator needs none: going on with `--cfg sim`,"
            );
            println!("as `cargo xtask demo --sim` and `cargo sim run` do.\n");
            Ok(Mode::Sim)
        }
    }
}

/// Runs one example and shows how long it took.
fn show(program: &Artifact, out: &Path, picture: &Path) -> Result<()> {
    println!("== {}", program.name);
    let started = Instant::now();
    let mut command = Command::new(&program.path);
    command.args(arguments(&program.name, out, picture)).current_dir(out);
    let status = command.status().with_context(|| format!("cannot start {}", program.path.display()))?;
    if !status.success() {
        bail!("the example `{}` failed ({status})", program.name);
    }
    println!("   ({})\n", seconds(started.elapsed()));
    Ok(())
}

/// Returns the arguments that make an example write its pictures below `out`.
///
/// An empty `picture` stands for the one in the repository.
pub fn arguments(name: &str, out: &Path, picture: &Path) -> Vec<PathBuf> {
    let picture = if picture.as_os_str().is_empty() { root().join(PICTURE) } else { picture.to_owned() };
    let flag = PathBuf::from("--out");
    match name {
        "mandelbrot" => vec![flag, out.join("mandelbrot.png")],
        "photo" => vec![picture, flag, out.join("photo")],
        "nbody" => vec![flag, out.join("nbody")],
        _ => Vec::new(),
    }
}
