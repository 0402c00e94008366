//! CUDA behind the host side: the driver library, its devices, and contexts on them.
//!
//! cudarc loads the driver library at the first call and panics where there is none, so every call into it goes
//! through [`start`] first.

mod call;
mod driver;
mod load;

use std::collections::HashMap;
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};

use crate::cuda::call::call;
use crate::cuda::driver::Cuda;
use crate::host::context::Context;
use crate::host::driver::Status;
use crate::host::fork;
use crate::host::{Dim3, Error, Limits, Result};

/// The oldest driver that has `cuCtxGetId`, as `cuDriverGetVersion` numbers it.
const OLDEST_DRIVER: c_int = 12_000;

/// The version of CUDA that the driver supports, as `cuDriverGetVersion` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DriverVersion(pub c_int);

impl std::fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Loads and starts the driver, once per process.
fn start() -> Result<DriverVersion> {
    static STARTED: OnceLock<Result<DriverVersion>> = OnceLock::new();
    if fork::forked() {
        return Err(Error::Forked);
    }
    STARTED
        .get_or_init(|| {
            probe()?;
            fork::watch();
            // SAFETY: any thread may call it at any time.
            call("cuInit", unsafe { sys::cuInit(0) }).map_err(no_driver)?;
            let mut version = 0;
            // SAFETY: the pointer is valid for a write.
            call("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })
                .map_err(no_driver)?;
            if version < OLDEST_DRIVER {
                let reason = format!(
                    "the driver supports CUDA {}, and {} is the oldest that does",
                    DriverVersion(version),
                    DriverVersion(OLDEST_DRIVER)
                );
                return Err(Error::NoDriver { reason, missing: None });
            }
            Ok(DriverVersion(version))
        })
        .clone()
}

fn no_driver(status: Status) -> Error {
    Error::NoDriver { reason: format!("{} said {}", status.call, status.text), missing: None }
}

/// Finds out whether the driver library can be loaded, without cudarc, which would panic.
fn probe() -> Result<()> {
    let names: &[&'static str] =
        if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };
    let mut reasons = Vec::new();
    for name in names {
        // SAFETY: the driver library's own start-up code may run in any thread, and it stays loaded: cudarc loads
        // it again at once.
        match unsafe { libloading::Library::new(*name) } {
            Ok(library) => {
                std::mem::forget(library);
                return Ok(());
            }
            // The words of the dynamic loader lie in the source of the error.
            Err(error) => {
                reasons.push(error.source().map_or_else(|| error.to_string(), |why| why.to_string()))
            }
        }
    }
    // A library that is there and cannot be loaded is worth all the loader's words.
    let absent = |reason: &String| reason.contains("No such file") || reason.contains("os error 126");
    let missing = if reasons.iter().all(absent) { names.last().copied() } else { None };
    Err(Error::NoDriver { reason: reasons.join("; "), missing })
}

/// Finds device `ordinal`.
fn find(ordinal: usize) -> Result<sys::CUdevice> {
    start()?;
    let mut count = 0;
    // SAFETY: the pointer is valid for a write.
    let counted = call("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) });
    counted.map_err(no_driver)?;
    let count = usize::try_from(count).unwrap_or(0);
    if ordinal >= count {
        return Err(Error::NoDevice { ordinal, count });
    }
    let mut device = 0;
    // SAFETY: the pointer is valid for a write; `ordinal` is below an int.
    call("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal as c_int) }).map_err(no_driver)?;
    Ok(device)
}

/// Returns the name of device `ordinal`.
pub(crate) fn name(ordinal: usize) -> Result<String> {
    let device = find(ordinal)?;
    let mut name: [c_char; 256] = [0; 256];
    // SAFETY: the buffer is valid for as many bytes as are named.
    call("cuDeviceGetName", unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device) })
        .map_err(no_driver)?;
    // SAFETY: the driver has written a string with a NUL, within a buffer that was all NUL.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

/// Returns the context in use on device `ordinal`, or makes one.
pub(crate) fn context(ordinal: usize) -> Result<Arc<Context>> {
    // Only weak references: nothing global keeps a context alive.
    static CONTEXTS: Mutex<Option<HashMap<usize, Weak<Context>>>> = Mutex::new(None);
    let device = find(ordinal)?;
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = contexts.get_or_insert_default().entry(ordinal).or_default();
    if let Some(context) = known.upgrade().filter(|context| context.is_alive()) {
        return Ok(context);
    }
    let limits = limits(device)?;
    let title = format!("CUDA device {ordinal} ({})", name(ordinal)?);
    let driver = Cuda::open(device, &limits, start()?).map_err(|status| status.into_error(&title))?;
    let context = Arc::new(Context::new(title, limits, false, Box::new(driver)));
    *known = Arc::downgrade(&context);
    Ok(context)
}

fn limits(device: sys::CUdevice) -> Result<Limits> {
    use Attribute as A;
    let get = |attribute| attribute_of(device, attribute).map(|value| value.max(0) as u32);
    Ok(Limits {
        compute_capability: (
            get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        grid: Dim3::new(
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ),
        block: Dim3::new(
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ),
        threads_per_block: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        warp_size: get(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        shared_bytes_per_block: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? as usize,
        shared_bytes_per_block_optin: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as usize,
        registers_per_block: get(A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        multiprocessors: get(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        threads_per_multiprocessor: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
    })
}

fn attribute_of(device: sys::CUdevice, attribute: Attribute) -> Result<c_int> {
    let mut value = 0;
    // SAFETY: the pointer is valid for a write, and the device comes from `find`.
    let status = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) };
    call("cuDeviceGetAttribute", status).map_err(no_driver)?;
    Ok(value)
}
