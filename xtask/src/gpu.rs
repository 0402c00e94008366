//! `cargo xtask gpu`: makes `.gpu/`, which a GPU machine without cargo, Rust and network can run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::cargo::{self, Artifact, Mode};
use crate::{demo, root, toolchain};

/// Test binaries that need cargo or a compiler, and have no place on a GPU machine.
const NEED_CARGO: [&str; 4] = ["bitcode", "compile_fail", "device_errors", "targets"];

/// Packages whose tests run kernels or call the driver.
const PACKAGES: [&str; 4] = ["warpweft", "warpweft-kernels", "warpweft-examples", "warpweft-tests"];

/// The largest bundle that is handed on, in bytes.
const LIMIT_BYTES: u64 = 64 << 20;

/// Options of `cargo xtask gpu`.
#[derive(Args)]
pub struct Options {
    /// Pictures, PNG or JPEG, that the example `photo` works on, beside the one in the repository.
    pictures: Vec<PathBuf>,
}

/// Makes the bundle and prints the one command to run on the GPU machine.
///
/// # Errors
/// When there is no device toolchain, a build fails, or the bundle is too large.
pub fn run(options: &Options) -> Result<()> {
    toolchain::ready(true).map_err(anyhow::Error::msg)?;
    let bundle = root().join(".gpu");
    if bundle.exists() {
        std::fs::remove_dir_all(&bundle).with_context(|| format!("cannot empty {}", bundle.display()))?;
    }
    for dir in ["tests", "examples", "benches", "pictures", "cuda"] {
        std::fs::create_dir_all(bundle.join(dir))?;
    }

    let mut list = String::new();
    let mut tests = release("test");
    tests.args(["--no-run", "--lib", "--bins", "--tests"]);
    for package in PACKAGES {
        tests.args(["--package", package]);
    }
    for artifact in cargo::build(&mut tests)?.artifacts {
        if artifact.test && !NEED_CARGO.contains(&artifact.name.as_str()) {
            let name = format!("{}-{}-{}", artifact.package, artifact.kind, artifact.name);
            copy(&artifact, &bundle.join("tests").join(&name))?;
        }
    }
    let mut programs = release("build");
    for artifact in cargo::build(programs.args(["--package", "warpweft-examples", "--bins"]))?.artifacts {
        copy(&artifact, &bundle.join("examples").join(&artifact.name))?;
        let arguments = demo::arguments(&artifact.name, Path::new("@OUT@"), Path::new("@PICTURE@"));
        let arguments: Vec<String> = arguments.iter().map(|word| word.display().to_string()).collect();
        list.push_str(&format!("{} {}\n", artifact.name, arguments.join(" ")));
    }
    std::fs::write(bundle.join("examples.list"), list)?;
    let mut benches = release("bench");
    for artifact in
        cargo::build(benches.args(["--no-run", "--package", "warpweft-benches", "--benches"]))?.artifacts
    {
        if artifact.kind == "bench" {
            copy(&artifact, &bundle.join("benches").join(&artifact.name))?;
        }
    }

    let pictures = root().join("examples/pictures");
    let own = std::fs::read_dir(&pictures)?.filter_map(|entry| Some(entry.ok()?.path()));
    for picture in own.filter(|path| path.extension().is_some_and(|e| e == "png" || e == "jpg")) {
        copy_into(&picture, &bundle.join("pictures"))?;
    }
    for picture in &options.pictures {
        copy_into(picture, &bundle.join("pictures"))?;
    }
    for twin in std::fs::read_dir(root().join("benches/cuda"))? {
        copy_into(&twin?.path(), &bundle.join("cuda"))?;
    }
    std::fs::write(bundle.join("run.sh"), include_str!("../assets/run.sh"))?;
    std::fs::write(bundle.join("commit"), commit())?;

    let bytes = size(&bundle)?;
    ensure!(
        bytes <= LIMIT_BYTES,
        "the bundle has {bytes} bytes, more than {LIMIT_BYTES}; leave out a picture"
    );
    println!(
        "The bundle .gpu/ has {:.1} MiB. On the GPU machine, in the directory that holds it:",
        bytes as f64 / f64::from(1 << 20)
    );
    println!("  bash .gpu/run.sh");
    println!("The results go to ${{OUT:-.gpu/out}}.");
    Ok(())
}

/// Starts a release build without symbols.
fn release(subcommand: &str) -> std::process::Command {
    let mut command = cargo::command(Mode::Ptx, subcommand);
    command.args([
        "--config",
        "profile.release.strip='symbols'",
        "--config",
        "profile.bench.strip='symbols'",
    ]);
    if subcommand != "bench" {
        command.arg("--release");
    }
    command
}

/// Copies an executable, without its symbols if there is a `strip`. (In cargo's profile that would mean to build all
/// dependencies once more.)
fn copy(artifact: &Artifact, to: &Path) -> Result<()> {
    if to.exists() {
        bail!("two executables want the name {}", to.display());
    }
    std::fs::copy(&artifact.path, to).with_context(|| format!("cannot copy {}", artifact.path.display()))?;
    // The bundle is only larger without it, and its size is checked.
    let _ = std::process::Command::new("strip").arg(to).status();
    Ok(())
}

/// Copies a file into a directory under its own name.
fn copy_into(file: &Path, dir: &Path) -> Result<()> {
    let name = file.file_name().with_context(|| format!("{} is no file", file.display()))?;
    std::fs::copy(file, dir.join(name)).with_context(|| format!("cannot copy {}", file.display()))?;
    Ok(())
}

/// Names the commit that the bundle was made from.
fn commit() -> String {
    let mut git = std::process::Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12"]).current_dir(root());
    cargo::capture(&mut git).unwrap_or_else(|_| "unknown\n".to_owned())
}

/// Adds up the sizes of all files below a directory.
fn size(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}
