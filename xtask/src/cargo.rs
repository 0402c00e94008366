//! Calls of cargo: one place that knows how both builds (PTX and simulator) are asked for.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::root;

/// Which back ends a build has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// PTX, CUDA and the simulator: what plain `cargo build` makes.
    Ptx,
    /// `--cfg sim`: only the simulator; needs no device toolchain.
    Sim,
}

/// Starts a cargo command in the repository's root, as `cargo SUBCOMMAND` or `cargo sim SUBCOMMAND`.
///
/// What cargo told this process about the package `xtask` is hidden from the inner cargo.
pub fn command(mode: Mode, subcommand: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    scrub(&mut cargo);
    if mode == Mode::Sim {
        cargo.args(["--config", "build.rustflags=['--cfg','sim']"]);
        cargo.env("RUSTDOCFLAGS", "--cfg sim");
        // A set RUSTFLAGS would win over the line above.
        if let Some(flags) = std::env::var_os("RUSTFLAGS").filter(|flags| !flags.is_empty()) {
            let mut flags = flags;
            flags.push(" --cfg sim");
            cargo.env("RUSTFLAGS", flags);
        }
    }
    cargo.arg(subcommand);
    cargo
}

/// Removes the variables that `cargo run` sets for this very process.
pub fn scrub(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|p| text.starts_with(p))
        {
            command.env_remove(&name);
        }
    }
}

/// Runs a command to its end with its output on the terminal.
///
/// # Errors
/// When the command cannot be started or exits with a status other than zero.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and returns what it wrote on its standard output.
///
/// # Errors
/// When the command cannot be started or exits with a status other than zero; the text holds its standard error.
pub fn capture(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!(
            "`{shown}` failed ({}):\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Spells a command as it would be typed.
pub fn show(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let program = program.file_stem().unwrap_or(OsStr::new("?")).to_string_lossy().into_owned();
    let words = command.get_args().map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '\'']) { format!("\"{word}\"") } else { word.into_owned() }
    });
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

/// One executable that cargo built.
#[derive(Debug)]
pub struct Artifact {
    /// Name of the cargo target, such as `photo`.
    pub name: String,
    /// Name of the package, such as `warpweft-examples`.
    pub package: String,
    /// `bin`, `test`, `bench`, `example`, `lib`, ….
    pub kind: String,
    /// Whether it is a test binary.
    pub test: bool,
    /// Where it lies.
    pub path: PathBuf,
}

/// What a building cargo command made.
#[derive(Debug, Default)]
pub struct Built {
    /// The executables.
    pub artifacts: Vec<Artifact>,
    /// The directories that the build scripts wrote to.
    pub out_dirs: Vec<PathBuf>,
}

/// Runs a building cargo command and lists what it made.
///
/// # Errors
/// When cargo cannot be started or the build fails.
pub fn build(command: &mut Command) -> Result<Built> {
    let shown = show(command);
    command.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    let mut built = Built::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
            built.artifacts.extend(artifact(&message));
            if message["reason"] == "build-script-executed" {
                built.out_dirs.extend(message["out_dir"].as_str().map(PathBuf::from));
            }
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(built)
}

/// Reads one line of cargo's JSON output.
fn artifact(message: &Value) -> Option<Artifact> {
    if message["reason"] != "compiler-artifact" {
        return None;
    }
    let package = PathBuf::from(message["manifest_path"].as_str()?);
    Some(Artifact {
        name: message["target"]["name"].as_str()?.to_owned(),
        package: package.parent()?.file_name()?.to_string_lossy().into_owned(),
        kind: message["target"]["kind"][0].as_str()?.to_owned(),
        test: message["profile"]["test"].as_bool()?,
        path: PathBuf::from(message["executable"].as_str()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_read_from_cargos_json() {
        let line = serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": "/somewhere/examples/Cargo.toml",
            "target": { "name": "photo", "kind": ["bin"] },
            "profile": { "test": false },
            "executable": "/somewhere/target/release/photo",
        });
        let found = artifact(&line).expect("an executable");
        assert_eq!((found.name.as_str(), found.package.as_str(), found.test), ("photo", "examples", false));
        let library = serde_json::json!({ "reason": "compiler-artifact", "executable": null });
        assert!(artifact(&library).is_none());
    }

    #[test]
    fn commands_are_shown_as_typed() {
        let mut sim = command(Mode::Sim, "test");
        sim.args(["--package", "a b"]);
        assert!(
            show(&sim).ends_with("\"build.rustflags=['--cfg','sim']\" test --package \"a b\""),
            "{}",
            show(&sim)
        );
    }
}
