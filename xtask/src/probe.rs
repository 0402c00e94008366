//! What this machine has: a GPU, ptxas, python.

use std::ffi::{c_int, c_uint};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::capture;
use crate::progress::Step;

/// Counts the CUDA devices.
///
/// # Errors
/// The reason why there is none, in words.
pub fn gpus() -> Result<usize, String> {
    let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
    // SAFETY: the driver library's initialisers have no preconditions.
    let driver =
        unsafe { libloading::Library::new(name) }.map_err(|_| format!("{name} is not on this machine"))?;
    // SAFETY: `CUresult cuInit(unsigned int)` is the documented signature of the driver API.
    let init = unsafe { driver.get::<unsafe extern "system" fn(c_uint) -> c_int>(b"cuInit") };
    // SAFETY: `CUresult cuDeviceGetCount(int *)`, likewise.
    let count = unsafe { driver.get::<unsafe extern "system" fn(*mut c_int) -> c_int>(b"cuDeviceGetCount") };
    let (Ok(init), Ok(count)) = (init, count) else {
        return Err(format!("{name} has no cuInit"));
    };
    // SAFETY: zero is the only flag that cuInit takes.
    let status = unsafe { init(0) };
    if status != 0 {
        return Err(format!("cuInit answered with error {status}"));
    }
    let mut devices = 0;
    // SAFETY: the pointer is to a live integer, and the driver is initialised.
    let status = unsafe { count(&raw mut devices) };
    match (status, usize::try_from(devices)) {
        (0, Ok(devices)) if devices > 0 => Ok(devices),
        (0, _) => Err("the driver lists no device".to_owned()),
        _ => Err(format!("cuDeviceGetCount answered with error {status}")),
    }
}

/// The PyPI package that holds ptxas, and the version that the PTX checks are made for.
const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc==13.0.*";

/// Finds ptxas on the `PATH`, in a CUDA toolkit, in python's packages, or where [`ptxas`] installed it.
pub fn find_ptxas() -> Option<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    directories.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        directories.extend(std::env::var_os(variable).map(|home| Path::new(&home).join("bin")));
    }
    directories.push(PathBuf::from("/usr/local/cuda/bin"));
    directories.push(ptxas_cache().join(WHEEL_BIN));
    directories.extend(python_packages().map(|packages| packages.join(WHEEL_BIN)));
    let name = format!("ptxas{}", std::env::consts::EXE_SUFFIX);
    directories.into_iter().map(|dir| dir.join(&name)).find(|path| runs(path))
}

/// Where the wheel puts its programs.
const WHEEL_BIN: &str = "nvidia/cu13/bin";

/// Where [`ptxas`] installs the wheel.
fn ptxas_cache() -> PathBuf {
    cache_dir().join("ptxas-13.0")
}

/// Finds ptxas, or installs it with pip into a directory of this repository's own.
///
/// # Errors
/// The reason why there is none, in words.
pub fn ptxas() -> Result<PathBuf, String> {
    if let Some(found) = find_ptxas() {
        return Ok(found);
    }
    install_ptxas(&ptxas_cache())?;
    find_ptxas().ok_or_else(|| format!("{PTXAS_PACKAGE} holds no working ptxas"))
}

/// Installs ptxas into a directory of its own.
fn install_ptxas(into: &Path) -> Result<(), String> {
    let Some(python) = python() else {
        return Err(format!("no ptxas, and no python with pip to install {PTXAS_PACKAGE}"));
    };
    let step = Step::start(format!("installing {PTXAS_PACKAGE} with pip"));
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--upgrade"]);
    pip.arg("--target").arg(into).arg(PTXAS_PACKAGE);
    capture(&mut pip).map_err(|error| format!("no ptxas, and pip could not install it: {error:#}"))?;
    step.end("done");
    Ok(())
}

/// Tells whether a tool is there and answers `--version`.
fn runs(tool: &Path) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    tool.is_file() && command.status().is_ok_and(|status| status.success())
}

/// Finds a python that has pip.
fn python() -> Option<&'static str> {
    ["python3", "python"].into_iter().find(|python| {
        let mut command = Command::new(python);
        command
            .args(["-m", "pip", "--version"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// Asks python where its packages lie.
fn python_packages() -> Option<PathBuf> {
    let mut command = Command::new(python()?);
    command.args(["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]);
    Some(PathBuf::from(capture(&mut command).ok()?.trim()))
}

/// Returns the directory in which this repository keeps what it installs.
pub fn cache_dir() -> PathBuf {
    let home = |name: &str| std::env::var_os(name).map(PathBuf::from);
    home("WARPWEFT_CACHE")
        .or_else(|| home("XDG_CACHE_HOME").map(|dir| dir.join("warpweft")))
        .or_else(|| home("LOCALAPPDATA").map(|dir| dir.join("warpweft")))
        .or_else(|| home("HOME").map(|dir| dir.join(".cache/warpweft")))
        .unwrap_or_else(|| crate::root().join("target/warpweft-cache"))
}
