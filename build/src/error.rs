//! What can go wrong between a build script and its PTX.

use std::path::PathBuf;

/// A failure of the device build itself, as opposed to an error in a user's kernel.
///
/// Errors in kernels are no `Error`: they go into the table, from which the macros report them at the
/// user's own tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or directory could not be read, written, moved or locked.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A tool could not be started.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The tool.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A tool did not finish in time and was stopped.
    #[error("`{program}` did not finish within {limit_s} s and was stopped")]
    Timeout {
        /// The command line, shortened.
        program: String,
        /// The limit in seconds.
        limit_s: u64,
    },
    /// A tool failed.
    #[error("{what} failed: {message}")]
    Tool {
        /// What the tool was to do.
        what: String,
        /// What it said.
        message: String,
    },
    /// No device toolchain does.
    #[error(transparent)]
    NoToolchain(#[from] crate::toolchain::NotFound),
    /// A setting has a value that means nothing.
    #[error("{setting} is `{value}`: {reason}")]
    Setting {
        /// The environment variable or the key of the manifest.
        setting: String,
        /// Its value.
        value: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A variable that cargo sets for build scripts is missing.
    #[error(
        "the variable `{0}` is not set: call `warpweft_build::compile()` from a build script, run by cargo"
    )]
    NotABuildScript(&'static str),
    /// The package does not depend on `warpweft` directly.
    #[error(
        "`{0}` is not set: a package that calls `warpweft_build::compile()` must list `warpweft` in its own `[dependencies]`"
    )]
    NoRuntime(&'static str),
}

/// The result of a step of the device build.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Turns an I/O error into an [`Error`] that names the action and the path.
pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    move |source| Error::Io { action, path, source }
}
