//! `cargo xtask bless`: rewrites the blessed files.

use anyhow::Result;

use crate::cargo::{Mode, command, run as call};

/// Runs the tests that compare with blessed files, with leave to rewrite them, and shows what changed.
///
/// # Errors
/// When a test fails for another reason.
pub fn run() -> Result<()> {
    for package in ["warpweft-macros", "warpweft-build", "warpweft-tests"] {
        let mut test = command(Mode::Ptx, "test");
        // Read by trybuild and by our own comparisons.
        test.args(["--package", package]).env("TRYBUILD", "overwrite").env("WARPWEFT_BLESS", "1");
        call(&mut test)?;
    }
    call(std::process::Command::new("git").args(["status", "--short"]).current_dir(crate::root()))
}
