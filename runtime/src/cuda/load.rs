//! Loading modules, and what is set up in them: the panic record, the attributes of each kernel.

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::mem::size_of;
use std::ptr::{self, NonNull};

use cudarc::driver::sys::{self, CUfunction_attribute_enum as Attribute, CUjit_option, CUresult};

use crate::cuda::DriverVersion;
use crate::cuda::call::{call, status};
use crate::cuda::driver::{Cuda, function_attribute, handle_of};
use crate::host::driver::{Function, Handle, Loader, Module, Status};
use crate::host::{Error, Image, Kernel, Result};
use crate::panic_record::{GLOBAL, PanicRecord};

/// Room for the words of the driver's compiler, in bytes.
const LOG_BYTES: usize = 16 * 1024;

fn module_of(handle: Handle) -> sys::CUmodule {
    ptr::with_exposed_provenance_mut(handle.0)
}

/// A module that is unloaded again unless its set-up succeeds.
struct Loaded {
    handle: Handle,
    record: Option<NonNull<PanicRecord>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        release(self.handle, self.record);
    }
}

fn release(module: Handle, record: Option<NonNull<PanicRecord>>) {
    // SAFETY: the module belongs to the current, live context, and is unloaded once; the driver waits for its kernels.
    let _ = unsafe { sys::cuModuleUnload(module_of(module)) };
    if let Some(record) = record {
        // SAFETY: allocated by cuMemHostAlloc in this context; no kernel refers to it any more.
        let _ = unsafe { sys::cuMemFreeHost(record.as_ptr().cast()) };
    }
}

impl Loader for Cuda {
    fn load(&self, kernel: &'static Kernel, image: &Image) -> Result<Module> {
        let failed = |status: Status, log: String| Error::Load {
            kernel: kernel.name().to_owned(),
            status: format!("{} said {}", status.call, status.text),
            log,
        };
        let data = with_nul(image.data());
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver reads the size from the pointer's own bits.
        let mut values = [log.as_mut_ptr().cast(), ptr::without_provenance_mut::<c_void>(LOG_BYTES)];
        let mut module = ptr::null_mut();
        // SAFETY: the image ends in NUL or is a cubin, which knows its size; options and values are arrays of the
        // length named, and the log has the size named.
        let result = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                data.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if result != CUresult::CUDA_SUCCESS {
            let log =
                CStr::from_bytes_until_nul(&log).map_or(String::new(), |log| log.to_string_lossy().into());
            let hint = hint(result, image.data(), self.version);
            return Err(failed(status("cuModuleLoadDataEx", result), format!("{}{hint}", log.trim_end())));
        }
        let mut loaded = Loaded { handle: handle_of(module), record: None };
        set_up_record(&mut loaded).map_err(|status| failed(status, String::new()))?;
        let module = Module { handle: loaded.handle, image: image.id(), record: loaded.record };
        std::mem::forget(loaded);
        Ok(module)
    }

    fn function(&self, module: &Module, kernel: &'static Kernel, sizes: &[usize]) -> Result<Function> {
        let failed = |status: Status| Error::Load {
            kernel: kernel.name().to_owned(),
            status: format!("{} said {}", status.call, status.text),
            log: format!("looking for its entry `{}`", kernel.symbol()),
        };
        let symbol = CString::new(kernel.symbol()).map_err(|_| Error::Load {
            kernel: kernel.name().to_owned(),
            status: "the entry's name holds a NUL".to_owned(),
            log: String::new(),
        })?;
        let mut function = ptr::null_mut();
        // SAFETY: the pointer is valid for a write, the module is loaded, and the name ends in NUL.
        let result =
            unsafe { sys::cuModuleGetFunction(&mut function, module_of(module.handle), symbol.as_ptr()) };
        call("cuModuleGetFunction", result).map_err(failed)?;
        check_parameters(function, kernel, sizes, self.version)?;

        let get =
            |attribute| function_attribute(function, attribute).map(|value| value.max(0)).map_err(failed);
        let static_bytes = get(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? as usize;
        // The opt-in costs nothing by itself, so it is set for every kernel, to all there is.
        let dynamic = self.shared_bytes_optin.saturating_sub(static_bytes) as c_int;
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function belongs to this live context.
        let result = unsafe { sys::cuFuncSetAttribute(function, attribute, dynamic) };
        call("cuFuncSetAttribute", result).map_err(failed)?;
        Ok(Function {
            handle: handle_of(function),
            kernel,
            registers: get(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)? as u32,
            threads_per_block: get(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32,
            static_shared_bytes: static_bytes,
        })
    }

    fn unload(&self, module: &Module) {
        release(module.handle, module.record);
    }
}

/// PTX has to end in NUL; a further one does no harm to PTX that has it, nor to a cubin.
fn with_nul(image: &[u8]) -> Vec<u8> {
    let mut data = Vec::with_capacity(image.len() + 1);
    data.extend_from_slice(image);
    data.push(0);
    data
}

/// Gives the module a panic record, if its kernels can panic.
fn set_up_record(module: &mut Loaded) -> Result<(), Status> {
    let (mut global, mut global_bytes) = (0, 0);
    // SAFETY: the pointers are valid for writes, the module is loaded, and the name ends in NUL.
    let found = unsafe {
        sys::cuModuleGetGlobal_v2(&mut global, &mut global_bytes, module_of(module.handle), GLOBAL.as_ptr())
    };
    if found == CUresult::CUDA_ERROR_NOT_FOUND {
        return Ok(());
    }
    call("cuModuleGetGlobal", found)?;

    const FLAGS: c_uint = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
    let mut record = ptr::null_mut();
    // SAFETY: the pointer is valid for a write.
    let result = unsafe { sys::cuMemHostAlloc(&mut record, size_of::<PanicRecord>(), FLAGS) };
    call("cuMemHostAlloc", result)?;
    let record = NonNull::new(record.cast::<PanicRecord>());
    module.record = record;
    let Some(record) = record else { return Ok(()) };
    // SAFETY: the memory is as large as a record, and nobody else knows it; all zero bytes are a free record.
    unsafe { record.as_ptr().write_bytes(0, 1) };

    let mut address: sys::CUdeviceptr = 0;
    // SAFETY: the pointer is valid for a write, and the memory was allocated as mapped.
    let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, record.as_ptr().cast(), 0) };
    call("cuMemHostGetDevicePointer", result)?;
    let bytes = size_of::<sys::CUdeviceptr>().min(global_bytes);
    // SAFETY: the global is a pointer, and no kernel of the module runs yet.
    let result = unsafe { sys::cuMemcpyHtoD_v2(global, (&raw const address).cast(), bytes) };
    call("cuMemcpyHtoD", result)
}

/// Compares the parameters of the device code with those that the launcher passes.
#[cfg(feature = "cuda-13000")]
fn check_parameters(
    function: sys::CUfunction,
    kernel: &Kernel,
    sizes: &[usize],
    version: DriverVersion,
) -> Result<()> {
    // cuFuncGetParamInfo came with CUDA 12.4.
    if version < DriverVersion(12_040) {
        return Ok(());
    }
    let mut expected = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the pointers are valid for writes; an index beyond the last parameter is answered with an error.
        let result = unsafe { sys::cuFuncGetParamInfo(function, expected.len(), &mut offset, &mut size) };
        if result != CUresult::CUDA_SUCCESS {
            break;
        }
        expected.push(size);
    }
    if expected == sizes {
        return Ok(());
    }
    let list = |sizes: &[usize]| match sizes {
        [] => "nothing".to_owned(),
        sizes => format!("{sizes:?} bytes"),
    };
    Err(Error::Parameters { kernel: kernel.name().to_owned(), expected: list(&expected), found: list(sizes) })
}

/// The function that tells the parameters is not in the CUDA headers that cudarc was built for.
#[cfg(not(feature = "cuda-13000"))]
fn check_parameters(_: sys::CUfunction, _: &Kernel, _: &[usize], _: DriverVersion) -> Result<()> {
    Ok(())
}

/// Says what to do about the two failures whose cause can be read from the PTX itself.
fn hint(result: CUresult, image: &[u8], version: DriverVersion) -> String {
    let head = String::from_utf8_lossy(&image[..image.len().min(4096)]);
    let word = |directive: &str| {
        let line = head.lines().find_map(|line| line.trim().strip_prefix(directive))?;
        Some(line.trim().trim_end_matches(';').to_owned())
    };
    match (result, word(".version"), word(".target")) {
        (CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, Some(isa), _) => format!(
            "\nthe code needs PTX ISA {isa}; this driver supports CUDA {version}: update the driver, or build for an \
             older PTX ISA"
        ),
        (CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU, _, Some(target)) => {
            format!(
                "\nthe code was built for {target}, which this device does not run: build for its compute capability"
            )
        }
        _ => String::new(),
    }
}
