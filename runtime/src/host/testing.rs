//! The devices on which `#[warpweft::test]` runs a test.

use std::io::Write;
use std::process::ExitCode;

use crate::host::device::Device;

/// Makes a simulated device for one test.
pub fn simulator() -> Device {
    Device::sim()
}

/// Opens the first CUDA device, or says why there is none to test on.
#[cfg(not(sim))]
pub fn cuda() -> Result<Device, String> {
    Device::cuda(0).map_err(|error| error.why_no_gpu())
}

/// Fails a test whose body has returned while a kernel's panic was still to be reported: nobody synchronised.
///
/// # Panics
/// With the text of the kernel's panic, or of another fault of the device.
#[track_caller]
pub fn check(device: &Device) {
    if let Err(error) = device.settle() {
        panic!("{error}");
    }
}

/// Does as [`check`] does where the body's result is a success, and passes the result on.
///
/// # Panics
/// As [`check`].
#[track_caller]
pub fn check_result(device: &Device, result: ExitCode) -> ExitCode {
    if result == ExitCode::SUCCESS {
        check(device);
    }
    result
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Grid, Kernel, Stream, launch};

    static FAILS: Kernel = Kernel::new("fails", "m", "", None);

    fn fail(stream: &Stream) {
        launch::<(), _>(stream, Grid::new(1, 1), &FAILS, (), |()| panic!("lost")).expect("launch");
    }

    fn text(check: impl FnOnce()) -> String {
        let thrown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).expect_err("a panic");
        *thrown.downcast::<String>().expect("a text")
    }

    #[test]
    fn a_panic_that_nobody_asked_for_fails_the_test() {
        let device = simulator();
        fail(&device.stream().expect("stream"));
        let said = text(|| check(&device));
        assert!(said.contains("kernel `fails` (launch 1) panicked") && said.ends_with("lost"), "{said}");
        check(&device);
        let kept = device.stream().expect("stream");
        fail(&kept);
        let said = text(|| {
            let _ = check_result(&device, ExitCode::SUCCESS);
        });
        assert!(said.contains("kernel `fails`"), "{said}");
        kept.synchronize().expect("reported once");
    }

    #[test]
    fn a_test_that_has_failed_or_asked_says_no_more() {
        let device = simulator();
        let stream = device.stream().expect("stream");
        fail(&stream);
        assert_eq!(check_result(&device, ExitCode::FAILURE), ExitCode::FAILURE);
        stream.synchronize().expect_err("not taken yet");
        assert_eq!(check_result(&device, ExitCode::SUCCESS), ExitCode::SUCCESS);
        device.reset().expect("reset");
        check(&device);
    }
}
