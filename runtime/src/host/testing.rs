//! The devices on which `#[warpweft::test]` runs a test.

use std::io::Write;

use crate::host::device::Device;

/// Makes a simulated device for one test.
pub fn simulator() -> Device {
    Device::sim()
}

/// Opens the first CUDA device, or says why there is none to test on.
#[cfg(not(sim))]
pub fn cuda() -> Result<Device, String> {
    Device::cuda(0).map_err(|error| error.to_string())
}

/// Says that a test was skipped, and why, on the real stderr: what `eprintln!` says in a test that passes is not
/// shown.
///
/// # Panics
/// If the environment variable `WARPWEFT_REQUIRE_GPU` is set: on a machine that has a GPU, a skipped test is a fault.
pub fn skip(test: &str, reason: &str) {
    assert!(
        std::env::var_os("WARPWEFT_REQUIRE_GPU").is_none(),
        "WARPWEFT_REQUIRE_GPU is set, and {test} cannot run: {reason}"
    );
    // In one piece, since tests that run side by side write there too.
    let _ = std::io::stderr().write_all(format!("skipped: {test}: {reason}\n").as_bytes());
}
