//! Builds `examples/first-kernel` as a user would: outside the workspace, in a directory with spaces in its path.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::cargo::{self, Mode};
use crate::progress::seconds;
use crate::root;
use crate::test::Count;

/// What `first-kernel` prints, and what it prints after the edit below.
const FIRST: &str = "[2.0, 2.0, 2.0, 2.0]";
const EDITED: &str = "[3.0, 3.0, 3.0, 3.0]";

/// Copies the package, runs it, edits its kernel, runs it again, and sees that nothing is rebuilt without a change.
///
/// # Errors
/// When a run fails. A wrong output or a needless rebuild is the second part of the result.
pub fn check(mode: Mode) -> Result<(Count, Option<String>)> {
    let temp = tempfile::Builder::new().prefix("first kernel ").tempdir()?;
    let package = temp.path().join("a user's project");
    copy(&root().join("examples/first-kernel"), &package)?;
    let main = package.join("src/main.rs");
    let source = std::fs::read_to_string(&main)?;
    let edited = source.replace("+ *y;", "+ *y + 1.0;");
    ensure!(source != edited, "first-kernel no longer holds the expression that this test edits");

    let mut faults = Vec::new();
    let mut expect = |what: &str, wanted: bool, output: &str| {
        if !wanted {
            faults.push(format!("{what}: {}", output.trim()));
        }
    };
    let output = run(mode, &package, "first run")?;
    expect("the first run printed", output.stdout.contains(FIRST), &output.stdout);
    let output = run(mode, &package, "run without a change")?;
    expect("built again without a change", !output.stderr.contains("Compiling"), &output.stderr);
    std::fs::write(&main, edited)?;
    let output = run(mode, &package, "run after an edit of the kernel")?;
    expect("the run after an edit printed", output.stdout.contains(EDITED), &output.stdout);

    let count = Count { passed: 3 - faults.len(), failed: faults.len(), ignored: 0 };
    Ok((count, (!faults.is_empty()).then(|| faults.join("; "))))
}

/// What one `cargo run` printed.
struct Output {
    stdout: String,
    stderr: String,
}

/// Runs `cargo run` in the package and shows how long it took.
fn run(mode: Mode, package: &Path, what: &str) -> Result<Output> {
    let mut command: Command = cargo::command(mode, "run");
    command.current_dir(package).stdin(std::process::Stdio::null());
    // Kept between runs of the test, so that only the first one builds the dependencies; with a space, as a user's may be.
    command.env("CARGO_TARGET_DIR", root().join("target/stand alone"));
    let started = Instant::now();
    let output = command.output().context("cannot start cargo")?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{what}: `cargo run` failed ({}):\n{stderr}", output.status);
    println!("{what}: {} in {}", stdout.trim(), seconds(started.elapsed()));
    Ok(Output { stdout, stderr })
}

/// Copies the package and points its path dependencies at this repository.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.join("src"))?;
    for file in ["build.rs", "src/main.rs"] {
        std::fs::copy(from.join(file), to.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    let manifest = std::fs::read_to_string(from.join("Cargo.toml"))?;
    let root = root().display().to_string().replace('\\', "/");
    let rewritten = manifest.replace("path = \"../../", &format!("path = \"{root}/"));
    ensure!(manifest != rewritten, "first-kernel no longer has path dependencies");
    std::fs::write(to.join("Cargo.toml"), rewritten)?;
    // The versions that the workspace is tested with, and no look at the registry.
    std::fs::copy(crate::root().join("Cargo.lock"), to.join("Cargo.lock"))?;
    Ok(())
}
