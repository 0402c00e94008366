//! Asks the CUDA driver for its version, without needing it.

use std::ffi::c_int;

/// What the driver library says of itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Driver {
    /// The newest CUDA version that it supports: major and minor.
    Supports(i32, i32),
    /// The library is there and gives this error code.
    Fails(i32),
    /// There is no library of this name.
    Absent(&'static str),
}

const LIBRARY: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// Asks `cuDriverGetVersion`, which works without a GPU.
pub fn ask() -> Driver {
    // SAFETY: the library is the system's CUDA driver, whose initialisers have no preconditions.
    let library = match unsafe { libloading::Library::new(LIBRARY) } {
        Ok(library) => library,
        Err(_) => return Driver::Absent(LIBRARY),
    };
    type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
    // SAFETY: the type is that of `CUresult cuDriverGetVersion(int *)` (CUDA driver API, version management).
    let get_version = match unsafe { library.get::<GetVersion>(b"cuDriverGetVersion\0") } {
        Ok(function) => function,
        Err(_) => return Driver::Absent(LIBRARY),
    };
    let mut version = 0;
    // SAFETY: the argument points to an `int` that lives through the call; the function needs no cuInit.
    match unsafe { get_version(&raw mut version) } {
        0 => Driver::Supports(version / 1000, version % 1000 / 10),
        code => Driver::Fails(code),
    }
}
