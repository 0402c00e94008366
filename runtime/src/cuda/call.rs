//! From the driver's status codes to ours.

use std::ffi::{CStr, c_char};

use cudarc::driver::sys::{self, CUresult};

use crate::host::driver::{Status, StatusKind};

/// Passes success on, and explains a failure of the driver's function `name`.
#[inline]
pub(super) fn call(name: &'static str, result: CUresult) -> Result<(), Status> {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(status(name, result)) }
}

#[cold]
pub(super) fn status(name: &'static str, result: CUresult) -> Status {
    Status { call: name, kind: kind(result), text: text(result) }
}

fn kind(result: CUresult) -> StatusKind {
    match result as u32 {
        2 => StatusKind::OutOfMemory,
        // DEINITIALIZED, INVALID_CONTEXT, CONTEXT_IS_DESTROYED
        4 | 201 | 709 => StatusKind::Lost,
        // ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, CONTAINED, ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, ASSERT, and the
        // faults of the hardware from HARDWARE_STACK_ERROR to LAUNCH_FAILED: "This leaves the process in an
        // inconsistent state" (CUDA Driver API, CUresult).
        214 | 220 | 226 | 700 | 702 | 710 | 714..=719 => StatusKind::Sticky,
        _ => StatusKind::Other,
    }
}

/// Name, number and meaning, as "CUDA_ERROR_INVALID_VALUE (1): invalid argument".
fn text(result: CUresult) -> String {
    let get = |function: unsafe fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut string = std::ptr::null();
        // SAFETY: the pointer is valid for a write.
        let found = unsafe { function(result, &mut string) };
        (found == CUresult::CUDA_SUCCESS && !string.is_null()).then(|| {
            // SAFETY: the driver returns a static string with a NUL.
            unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
        })
    };
    let name = get(sys::cuGetErrorName).unwrap_or_else(|| "unknown status".to_owned());
    let meaning = get(sys::cuGetErrorString).map_or(String::new(), |meaning| format!(": {meaning}"));
    format!("{name} ({}){meaning}", result as u32)
}
