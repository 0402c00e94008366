//! `cargo xtask lint`: what a reviewer should not have to look for.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cargo::{self, Mode, command, run as call};
use crate::root;

/// Runs every lint, and lists all that failed.
///
/// # Errors
/// Names the lints that failed.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    let mut lint = |name: &str, result: Result<()>| {
        println!("== {name}: {}", if result.is_ok() { "ok" } else { "FAILED" });
        if let Err(error) = result {
            println!("{error:#}");
            failed.push(name.to_owned());
        }
    };
    lint("formatting", call(command(Mode::Ptx, "fmt").args(["--all", "--check"])));
    let clippy = ["--workspace", "--all-targets", "--", "--deny", "warnings"];
    lint("clippy, simulator", call(command(Mode::Sim, "clippy").args(clippy)));
    if let Err(error) = crate::toolchain::ready(false) {
        println!("== clippy, PTX: skipped: no device toolchain\n{error}");
    } else {
        lint("clippy, PTX", call(command(Mode::Ptx, "clippy").args(clippy)));
    }
    let mut doc = command(Mode::Sim, "doc");
    doc.args(["--workspace", "--no-deps", "--lib"]).env("RUSTDOCFLAGS", "--cfg sim --deny warnings");
    lint("documentation", call(&mut doc));
    lint("packages", packages());
    lint("README", readme());
    lint("texts", texts());
    if failed.is_empty() { Ok(()) } else { bail!("lints that failed: {}", failed.join(", ")) }
}

/// Checks that every package states the licence and the oldest supported Rust, and that the licence texts are there.
fn packages() -> Result<()> {
    let text = cargo::capture(command(Mode::Ptx, "metadata").args(["--no-deps", "--format-version=1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no package")?;
    let mut faults = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or("?");
        if package["license"] != "MIT OR Apache-2.0" {
            faults.push(format!("{name} is not under `MIT OR Apache-2.0`"));
        }
        if package["rust_version"].is_null() {
            faults.push(format!("{name} states no rust-version"));
        }
        let published = package["publish"].is_null();
        if published && package["description"].is_null() {
            faults.push(format!("{name} is published and has no description"));
        }
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        if !root().join(file).is_file() {
            faults.push(format!("{file} is missing"));
        }
    }
    if faults.is_empty() { Ok(()) } else { bail!("{}", faults.join("\n")) }
}

/// Checks that the README's first page is the stand-alone package, that its links lead somewhere, and that it names
/// the supported Rust.
fn readme() -> Result<()> {
    let readme = read("README.md")?;
    let mut faults = Vec::new();
    let first = read("examples/first-kernel/src/main.rs")?;
    let kernel = first.split_once("#[kernel]").map_or("", |(_, rest)| rest).trim_end();
    if kernel.is_empty() || !readme.contains(kernel) {
        faults.push("the first page differs from examples/first-kernel/src/main.rs".to_owned());
    }
    let manifest = read("Cargo.toml")?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.context("Cargo.toml has no rust-version")?.trim_matches('"');
    if !readme.contains(&format!("Rust {version}")) {
        faults.push(format!("it does not name Rust {version}, the oldest supported one"));
    }
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let path = link.split('#').next().unwrap_or_default();
        if !path.is_empty() && !link.contains("://") && !root().join(path).exists() {
            faults.push(format!("a link leads to `{path}`, which is not there"));
        }
    }
    for file in ["ARCHITECTURE.md", "CHANGELOG.md", ".ci/run"] {
        read(file)?;
    }
    if faults.is_empty() { Ok(()) } else { bail!("{}", faults.join("\n")) }
}

/// Checks that no committed text holds a path of one person's machine.
fn texts() -> Result<()> {
    let list = cargo::capture(std::process::Command::new("git").args(["ls-files"]).current_dir(root()))?;
    let homes = ["/home/", "/Users/", "/root/", "C:\\Users\\"];
    let mut faults = Vec::new();
    for file in list.lines().filter(|file| !file.ends_with("xtask/src/lint.rs")) {
        // Binary files are no texts.
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if homes.iter().any(|home| line.contains(home)) {
                faults.push(format!("{file}:{}: a path of one machine", number + 1));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { bail!("{}", faults.join("\n")) }
}

/// Reads a file of the repository.
fn read(file: impl AsRef<Path>) -> Result<String> {
    let file = file.as_ref();
    std::fs::read_to_string(root().join(file)).with_context(|| format!("cannot read {}", file.display()))
}
