//! Runs tools with a clean environment and a time limit.
//!
//! A build script inherits everything that cargo sets for the host build: wrappers, flags, target directories,
//! library paths. A compiler for another machine must see none of it, so the environment is built from
//! nothing, and only what a tool needs to find its own files is handed on.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::Duration;

use process_control::{ChildExt, Control};

use crate::error::{Error, Result};

/// The variables that a tool keeps: where programs, homes, temporary files and certificates lie, and which way
/// leads to the network. `LD_LIBRARY_PATH` is not among them: cargo puts the host toolchain's libraries there.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "LC_ALL",
    "TERM",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
];

/// A command that sees only [`KEPT`] of the environment and reads nothing from standard input.
pub(crate) fn clean(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().stdin(Stdio::null());
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// What a finished tool left.
#[derive(Debug)]
pub(crate) struct Finished {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The last lines of what the tool said, for an error message.
    pub fn said(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines[lines.len().saturating_sub(40)..].join("\n");
        if shown.trim().is_empty() { "it said nothing".to_owned() } else { shown }
    }
}

/// Runs a command to its end and collects its output; stops it after `limit`.
///
/// # Errors
/// [`Error::Spawn`] when it cannot be started, [`Error::Timeout`] when the limit passed.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Finished> {
    let program = command.get_program().to_string_lossy().into_owned();
    let spawn_error = |source| Error::Spawn { program: program.clone(), source };
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(spawn_error)?;
    let output = child
        .controlled_with_output()
        .time_limit(limit)
        .terminate_for_timeout()
        .wait()
        .map_err(spawn_error)?
        .ok_or_else(|| Error::Timeout { program: describe(command), limit_s: limit.as_secs() })?;
    Ok(Finished {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// The program and its first arguments, as a person would type them.
fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().take(3).map(|arg| arg.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes an executable script. `install` copies it, since a file that this process had open for writing
    /// cannot be executed while another test's child, just forked, still holds the descriptor.
    #[cfg(unix)]
    pub(crate) fn write_script(path: &std::path::Path, text: &str) {
        let source = path.with_extension("text");
        std::fs::write(&source, text).unwrap();
        let status = Command::new("install").args(["-m", "755"]).arg(&source).arg(path).status().unwrap();
        assert!(status.success());
    }

    #[test]
    #[cfg(unix)]
    fn a_tool_that_hangs_is_stopped() {
        let error = run(clean("sleep").arg("60"), Duration::from_millis(200)).unwrap_err();
        assert!(matches!(&error, Error::Timeout { program, .. } if program == "sleep 60"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn cargo_variables_do_not_leak() {
        // Cargo sets CARGO_MANIFEST_DIR for this very test.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let seen = run(&mut clean("env"), Duration::from_secs(10)).unwrap().stdout;
        assert!(seen.contains("PATH="), "{seen}");
        assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
        assert!(!seen.contains("LD_LIBRARY_PATH"), "{seen}");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let error = run(&mut clean("warpweft-no-such-tool"), Duration::from_secs(1)).unwrap_err();
        assert!(error.to_string().contains("warpweft-no-such-tool"), "{error}");
    }
}
