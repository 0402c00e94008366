//! What each group of the test suite does.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use super::report::Count;
use crate::cargo::{self, Mode};
use crate::ptx;

/// What a group returns: its counts and, when something failed, what it was.
type Checked = Result<(Count, Option<String>)>;

/// The profile of the tests, which has built the dependencies already.
const PROFILE: [&str; 2] = ["--profile", "test"];

/// Runs `cargo test` and counts the tests of every binary.
pub fn cargo_tests(mode: Mode, arguments: &[&str]) -> Checked {
    let mut command = cargo::command(mode, "test");
    command.arg("--no-fail-fast").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    let shown = cargo::show(&command);
    println!("{shown}");
    let mut child = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    let mut count = Count::default();
    let mut failures = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            if let Some(of_binary) = Count::of_line(&line) {
                count += of_binary;
            }
            if let Some(test) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
                failures.push(test.to_owned());
            }
        }
    }
    let status = child.wait()?;
    if status.success() {
        ensure!(count.passed > 0, "`{shown}` ran no test");
        return Ok((count, None));
    }
    if failures.is_empty() {
        // It did not get as far as a test: a build error, or a test binary that died.
        count.failed += 1;
        failures.push(format!("`{shown}` failed ({status})"));
    }
    Ok((count, Some(failures.join(", "))))
}

/// Builds every program and checks that each package with kernels got its PTX.
pub fn device_build() -> Checked {
    let images = images()?;
    let mut passed = 0;
    let mut faults = Vec::new();
    for image in &images {
        match ptx::check_text(image) {
            Ok(kernels) => {
                passed += 1;
                println!("{}: {} kernels", image.label, kernels);
            }
            Err(error) => faults.push(format!("{}: {error:#}", image.label)),
        }
    }
    passed += ptx::check_blur(&images).map_or_else(
        |error| {
            faults.push(format!("photo's blur: {error:#}"));
            0
        },
        |()| 1,
    );
    Ok(verdict(passed, faults))
}

/// Assembles every PTX image with ptxas.
pub fn ptx_images(ptxas: &Path) -> Checked {
    println!("{}", ptxas.display());
    let mut passed = 0;
    let mut faults = Vec::new();
    for image in images()? {
        match ptx::assemble(ptxas, &image) {
            Ok(()) => passed += 1,
            Err(error) => faults.push(format!("{}: {error:#}", image.label)),
        }
    }
    println!("{passed} images assembled");
    Ok(verdict(passed, faults))
}

/// Turns passes and faults into a group's result.
fn verdict(passed: usize, faults: Vec<String>) -> (Count, Option<String>) {
    for fault in &faults {
        println!("FAILED {fault}");
    }
    let count = Count { passed, failed: faults.len(), ignored: 0 };
    (count, (!faults.is_empty()).then(|| faults.join("; ")))
}

/// Builds the workspace and lists the PTX images of all its targets.
fn images() -> Result<Vec<ptx::Image>> {
    let built = cargo::build(
        cargo::command(Mode::Ptx, "build").args(["--workspace", "--bins", "--lib"]).args(PROFILE),
    )?;
    let mut images = Vec::new();
    for dir in &built.out_dirs {
        images.extend(ptx::images_of(dir)?);
    }
    if images.is_empty() {
        bail!("the build made no PTX image");
    }
    Ok(images)
}

/// Runs every example with `--verify`, which compares its result with a CPU reference.
pub fn examples(mode: Mode, device: &str) -> Checked {
    let mut build = cargo::command(mode, "build");
    let built = cargo::build(build.args(["--package", "warpweft-examples", "--bins"]).args(PROFILE))?;
    let out = tempfile::tempdir()?;
    let mut passed = 0;
    let mut faults = Vec::new();
    for artifact in &built.artifacts {
        let mut command = std::process::Command::new(&artifact.path);
        command.args(crate::demo::arguments(&artifact.name, out.path(), &PathBuf::new()));
        command.args(["--verify", "--device", device]).current_dir(out.path());
        match cargo::run(&mut command) {
            Ok(()) => passed += 1,
            Err(error) => faults.push(format!("{error:#}")),
        }
    }
    ensure!(passed + faults.len() > 0, "the package warpweft-examples has no program");
    Ok(verdict(passed, faults))
}

/// Runs the lints as one group.
pub fn lint() -> Checked {
    crate::lint::run()?;
    Ok((Count { passed: 1, ..Count::default() }, None))
}
