//! The device toolchain: finds one, or installs one with a line for every step.

use crate::progress::Step;

/// Finds a device toolchain and describes it in a few words; installs one when there is none and `install` says so.
///
/// # Errors
/// What was tried, and what to type.
pub fn ready(install: bool) -> Result<String, String> {
    match warpweft_build::toolchain::find() {
        Ok(found) => Ok(found.to_string()),
        Err(missing) if !install => Err(missing.to_string()),
        Err(_) => {
            let step = Step::start("installing a device toolchain");
            let installed =
                warpweft_build::install::install(&mut |line| step.say(line)).map_err(|e| e.to_string())?;
            step.end(&installed.to_string());
            Ok(installed.to_string())
        }
    }
}
