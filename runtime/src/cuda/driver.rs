//! The driver calls of one CUDA context.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys::{self, CUevent_flags, CUresult, CUstream_flags};

use crate::cuda::DriverVersion;
use crate::cuda::call::{call, status};
use crate::host::driver::{Address, Driver, Function, Gone, Handle, Shape, Status, StatusKind};
use crate::host::{Limits, LostCause, fork};

/// The primary context of a device, retained once.
pub(crate) struct Cuda {
    device: sys::CUdevice,
    /// A number of the driver that no later context gets again, unlike the pointer.
    id: u64,
    context: Handle,
    /// Whether the device can allocate in the order of a stream.
    pools: bool,
    pub(super) shared_bytes_optin: usize,
    pub(super) version: DriverVersion,
}

thread_local! {
    /// The id of the context that this thread made current last.
    static CURRENT: Cell<u64> = const { Cell::new(u64::MAX) };
}

fn stream_of(handle: Handle) -> sys::CUstream {
    ptr::with_exposed_provenance_mut(handle.0)
}

fn event_of(handle: Handle) -> sys::CUevent {
    ptr::with_exposed_provenance_mut(handle.0)
}

pub(super) fn handle_of<T>(pointer: *mut T) -> Handle {
    Handle(pointer.expose_provenance())
}

pub(super) fn address_of(address: Address) -> sys::CUdeviceptr {
    address.0.addr() as sys::CUdeviceptr
}

impl Cuda {
    /// Retains the primary context of `device` and makes it current.
    pub fn open(device: sys::CUdevice, limits: &Limits, version: DriverVersion) -> Result<Self, Status> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is valid for a write; the device was found by its number.
        call("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) })?;
        // From here on, dropping `cuda` releases the context.
        let mut cuda = Self {
            device,
            id: 0,
            context: handle_of(context),
            pools: false,
            shared_bytes_optin: limits.shared_bytes_per_block_optin,
            version,
        };
        cuda.id = cuda.current_id()?;
        cuda.make_current()?;
        let pools = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        let mut supported = 0;
        // SAFETY: the pointer is valid for a write.
        let result = unsafe { sys::cuDeviceGetAttribute(&mut supported, pools, device) };
        call("cuDeviceGetAttribute", result)?;
        cuda.pools = supported != 0;
        Ok(cuda)
    }

    fn context(&self) -> sys::CUcontext {
        ptr::with_exposed_provenance_mut(self.context.0)
    }

    /// Asks the driver for the id of whatever context the pointer stands for now.
    fn current_id(&self) -> Result<u64, Status> {
        let mut id = 0;
        // SAFETY: the pointer of a primary context stays valid as a name of it; the driver answers with an error
        // when the context is gone.
        call("cuCtxGetId", unsafe { sys::cuCtxGetId(self.context(), &mut id) })?;
        Ok(id)
    }

    fn make_current(&self) -> Result<(), Status> {
        let mut current = ptr::null_mut();
        // SAFETY: the pointer is valid for a write.
        call("cuCtxGetCurrent", unsafe { sys::cuCtxGetCurrent(&mut current) })?;
        // Equal pointers do not mean the same life of the context, so this thread's own record must agree.
        if current != self.context() || CURRENT.get() != self.id {
            // SAFETY: the context has just been found alive.
            call("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context()) })?;
            CURRENT.set(self.id);
        }
        Ok(())
    }
}

impl Driver for Cuda {
    #[inline]
    fn check(&self) -> Result<(), Gone> {
        if fork::forked() {
            return Err(Gone::Forked);
        }
        let gone = Err(Gone::Lost(LostCause::External));
        // A broken context is not a lost one: the call that follows meets the fault too, and reports it.
        let broken = |status: Status| if status.kind == StatusKind::Sticky { Ok(()) } else { gone };
        match self.current_id() {
            Ok(id) if id == self.id => self.make_current().or_else(broken),
            Ok(_) => gone,
            Err(status) => broken(status),
        }
    }

    fn reset(&self) -> Result<(), Status> {
        // SAFETY: the caller holds the context's gate exclusively, so no call of ours runs beside; other code of the
        // process is warned in the documentation of `Device::reset`.
        call("cuDevicePrimaryCtxReset", unsafe { sys::cuDevicePrimaryCtxReset_v2(self.device) })
    }

    fn synchronize(&self) -> Result<(), Status> {
        // SAFETY: the context is current and alive.
        call("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    fn stream_create(&self) -> Result<Handle, Status> {
        let mut stream = ptr::null_mut();
        // Work of the legacy default stream does not wait for ours, nor ours for it.
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: the pointer is valid for a write, and the context is current.
        call("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(handle_of(stream))
    }

    fn stream_destroy(&self, stream: Handle) {
        // SAFETY: the stream belongs to this live context and is destroyed once.
        let _ = unsafe { sys::cuStreamDestroy_v2(stream_of(stream)) };
    }

    fn stream_synchronize(&self, stream: Handle) -> Result<(), Status> {
        // SAFETY: the stream belongs to this live context.
        call("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(stream_of(stream)) })
    }

    fn stream_is_idle(&self, stream: Handle) -> Result<bool, Status> {
        // SAFETY: the stream belongs to this live context.
        ready("cuStreamQuery", unsafe { sys::cuStreamQuery(stream_of(stream)) })
    }

    fn stream_wait(&self, stream: Handle, event: Handle) -> Result<(), Status> {
        // SAFETY: both belong to this live context.
        call("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(stream_of(stream), event_of(event), 0) })
    }

    fn event_create(&self, timing: bool) -> Result<Handle, Status> {
        let mut event = ptr::null_mut();
        let flags =
            if timing { CUevent_flags::CU_EVENT_DEFAULT } else { CUevent_flags::CU_EVENT_DISABLE_TIMING };
        // SAFETY: the pointer is valid for a write, and the context is current.
        call("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags as c_uint) })?;
        Ok(handle_of(event))
    }

    fn event_destroy(&self, event: Handle) {
        // SAFETY: the event belongs to this live context and is destroyed once.
        let _ = unsafe { sys::cuEventDestroy_v2(event_of(event)) };
    }

    fn event_record(&self, event: Handle, stream: Handle) -> Result<(), Status> {
        // SAFETY: both belong to this live context.
        call("cuEventRecord", unsafe { sys::cuEventRecord(event_of(event), stream_of(stream)) })
    }

    fn event_is_complete(&self, event: Handle) -> Result<bool, Status> {
        // SAFETY: the event belongs to this live context.
        ready("cuEventQuery", unsafe { sys::cuEventQuery(event_of(event)) })
    }

    fn event_synchronize(&self, event: Handle) -> Result<(), Status> {
        // SAFETY: the event belongs to this live context.
        call("cuEventSynchronize", unsafe { sys::cuEventSynchronize(event_of(event)) })
    }

    fn event_elapsed_ms(&self, start: Handle, end: Handle) -> Result<f32, Status> {
        // Built for CUDA 13, cudarc calls the second version of the function, which came with CUDA 12.8.
        if cfg!(feature = "cuda-13000") && self.version < DriverVersion(12_080) {
            let text = format!(
                "the driver supports CUDA {}, and this call needs 12.8; update the driver, or build without the \
                 feature `cuda-13000`",
                self.version
            );
            return Err(Status { call: "cuEventElapsedTime", kind: StatusKind::Other, text });
        }
        // SAFETY: both events belong to this live context, and were recorded with timing.
        let elapsed = unsafe { cudarc::driver::result::event::elapsed(event_of(start), event_of(end)) };
        elapsed.map_err(|error| status("cuEventElapsedTime", error.0))
    }

    fn allocate(&self, bytes: usize, stream: Handle) -> Result<Address, Status> {
        let mut address = 0;
        if self.pools {
            // SAFETY: the pointer is valid for a write; the stream belongs to this live context.
            let result = unsafe { sys::cuMemAllocAsync(&mut address, bytes, stream_of(stream)) };
            call("cuMemAllocAsync", result)?;
        } else {
            // SAFETY: the pointer is valid for a write; the context is current.
            call("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes) })?;
        }
        Ok(Address(ptr::without_provenance_mut(address as usize)))
    }

    fn free(&self, address: Address, _: usize, stream: Handle) {
        let address = address_of(address);
        if self.pools {
            // SAFETY: allocated in this live context, and freed once, behind the work of the stream.
            let _ = unsafe { sys::cuMemFreeAsync(address, stream_of(stream)) };
        } else {
            // SAFETY: the stream belongs to this live context.
            let _ = unsafe { sys::cuStreamSynchronize(stream_of(stream)) };
            // SAFETY: allocated in this live context, and freed once; the work that used it is done.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }

    fn forget(&self, _: Address, _: usize) {}

    fn clear(&self, address: Address, bytes: usize, stream: Handle) -> Result<(), Status> {
        // SAFETY: the caller owns the memory; the stream belongs to this live context.
        let result = unsafe { sys::cuMemsetD8Async(address_of(address), 0, bytes, stream_of(stream)) };
        call("cuMemsetD8Async", result)
    }

    unsafe fn copy_in(
        &self,
        to: Address,
        from: *const c_void,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status> {
        // SAFETY: the caller vouches for both ranges.
        let result = unsafe { sys::cuMemcpyHtoDAsync_v2(address_of(to), from, bytes, stream_of(stream)) };
        call("cuMemcpyHtoDAsync", result)
    }

    unsafe fn copy_out(
        &self,
        to: *mut c_void,
        from: Address,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status> {
        // SAFETY: the caller vouches for both ranges.
        let result = unsafe { sys::cuMemcpyDtoHAsync_v2(to, address_of(from), bytes, stream_of(stream)) };
        call("cuMemcpyDtoHAsync", result)
    }

    unsafe fn copy(&self, to: Address, from: Address, bytes: usize, stream: Handle) -> Result<(), Status> {
        // SAFETY: the caller vouches for both ranges.
        let result =
            unsafe { sys::cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes, stream_of(stream)) };
        call("cuMemcpyDtoDAsync", result)
    }

    #[inline]
    unsafe fn launch(
        &self,
        function: &Function,
        shape: Shape,
        stream: Handle,
        words: &mut [*mut c_void],
    ) -> Result<(), Status> {
        let Shape { blocks, threads, shared_bytes } = shape;
        // SAFETY: function and stream belong to this live context; the caller vouches for the words.
        let result = unsafe {
            sys::cuLaunchKernel(
                ptr::with_exposed_provenance_mut(function.handle.0),
                blocks.x,
                blocks.y,
                blocks.z,
                threads.x,
                threads.y,
                threads.z,
                shared_bytes as c_uint,
                stream_of(stream),
                words.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        call("cuLaunchKernel", result)
    }
}

/// Reads the answer of a query.
fn ready(name: &'static str, result: CUresult) -> Result<bool, Status> {
    match result {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        result => call(name, result).map(|()| true),
    }
}

impl Drop for Cuda {
    /// Gives back what `open` retained. A reset does not do that, so it is done for dead contexts as well.
    fn drop(&mut self) {
        if fork::forked() {
            return;
        }
        let mut current = ptr::null_mut();
        // SAFETY: the pointer is valid for a write.
        let found = unsafe { sys::cuCtxGetCurrent(&mut current) };
        if found == CUresult::CUDA_SUCCESS && current == self.context() {
            CURRENT.set(u64::MAX);
        }
        // SAFETY: the device was found by its number, and its context was retained once for this value.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// Reads an attribute of a function.
pub(super) fn function_attribute(
    function: sys::CUfunction,
    attribute: sys::CUfunction_attribute,
) -> Result<c_int, Status> {
    let mut value = 0;
    // SAFETY: the pointer is valid for a write, and the function belongs to a live context.
    call("cuFuncGetAttribute", unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) })?;
    Ok(value)
}
