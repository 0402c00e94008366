//! The driver calls that the host side needs, as a trait: CUDA implements it, the simulator does, and so does the
//! stand-in that the tests use to inject faults.
// Some of it only CUDA makes.
#![cfg_attr(sim, allow(dead_code))]

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::host::error::{Error, LostCause, Result};
use crate::host::grid::Dim3;
use crate::host::kernel::{Image, Kernel};

/// A driver object (stream, event, module or function): the driver's own handle as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle(pub usize);

/// An address in the memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(pub *mut u8);

// SAFETY: an address is a number here; whoever dereferences it answers for that.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// What a driver call that failed said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Status {
    /// The driver's function.
    pub call: &'static str,
    pub kind: StatusKind,
    /// Name, number and text.
    pub text: String,
}

/// What a failure means for the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusKind {
    OutOfMemory,
    /// The context is broken for good ("sticky").
    Sticky,
    /// The context does not exist any more.
    Lost,
    Other,
}

/// Why a context cannot be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    Lost(LostCause),
    Forked,
}

/// A module that a context has loaded.
#[derive(Debug)]
pub(crate) struct Module {
    pub handle: Handle,
    /// The image it was loaded from.
    pub image: u64,
    /// Where its kernels leave a panic: host memory that the device can write.
    pub record: Option<NonNull<crate::panic_record::PanicRecord>>,
}

// SAFETY: the record is read and reset through volatile and atomic accesses only.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// A kernel in a context, with the attributes that the driver reports for it there.
#[derive(Debug)]
pub(crate) struct Function {
    pub handle: Handle,
    pub kernel: &'static Kernel,
    /// Registers of each thread.
    pub registers: u32,
    /// The most threads a block of this kernel may have; registers limit it.
    pub threads_per_block: u32,
    /// Shared memory that the kernel declares itself, in bytes.
    pub static_shared_bytes: usize,
}

/// A launch as the driver takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub blocks: Dim3,
    pub threads: Dim3,
    pub shared_bytes: usize,
}

/// Loads modules and finds the kernels in them: all that the [store](crate::host::store) needs.
pub(crate) trait Loader {
    /// Loads `image`, on behalf of `kernel`.
    fn load(&self, kernel: &'static Kernel, image: &Image) -> Result<Module>;
    /// Finds `kernel` in `module` and sets its attributes. `sizes` are the bytes of each parameter as the launcher
    /// passes them.
    fn function(&self, module: &Module, kernel: &'static Kernel, sizes: &[usize]) -> Result<Function>;
    /// Unloads a module of a live context.
    fn unload(&self, module: &Module);
}

/// The driver calls of one context. Every caller holds the context's gate and has found the context alive.
pub(crate) trait Driver: Loader + Send + Sync {
    /// Finds out whether the context still exists, and makes it current to the calling thread.
    fn check(&self) -> Result<(), Gone>;
    /// Destroys everything that belongs to the context.
    fn reset(&self) -> Result<(), Status>;
    /// Waits for all work of the context.
    fn synchronize(&self) -> Result<(), Status>;

    fn stream_create(&self) -> Result<Handle, Status>;
    fn stream_destroy(&self, stream: Handle);
    fn stream_synchronize(&self, stream: Handle) -> Result<(), Status>;
    /// Tells whether the stream has finished all its work.
    fn stream_is_idle(&self, stream: Handle) -> Result<bool, Status>;
    fn stream_wait(&self, stream: Handle, event: Handle) -> Result<(), Status>;

    fn event_create(&self, timing: bool) -> Result<Handle, Status>;
    fn event_destroy(&self, event: Handle);
    fn event_record(&self, event: Handle, stream: Handle) -> Result<(), Status>;
    fn event_is_complete(&self, event: Handle) -> Result<bool, Status>;
    fn event_synchronize(&self, event: Handle) -> Result<(), Status>;
    fn event_elapsed_ms(&self, start: Handle, end: Handle) -> Result<f32, Status>;

    /// Allocates `bytes` > 0 bytes, usable by later work of `stream`, aligned to 256 bytes.
    fn allocate(&self, bytes: usize, stream: Handle) -> Result<Address, Status>;
    /// Frees an allocation once `stream` has finished its present work.
    fn free(&self, address: Address, bytes: usize, stream: Handle);
    /// Does what is left to do for an allocation whose context is gone.
    fn forget(&self, address: Address, bytes: usize);
    fn clear(&self, address: Address, bytes: usize, stream: Handle) -> Result<(), Status>;

    /// Copies from the host, and returns before the copy is done or later.
    ///
    /// # Safety
    /// 1. `from` is valid for reads of `bytes` bytes until the stream has been synchronised.
    /// 2. `to` is valid for writes of as many, and no other access runs beside.
    unsafe fn copy_in(
        &self,
        to: Address,
        from: *const c_void,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status>;
    /// Copies to the host, and returns before the copy is done or later.
    ///
    /// # Safety
    /// 1. `to` is valid for writes of `bytes` bytes until the stream has been synchronised.
    /// 2. `from` is valid for reads of as many, and nothing writes to it beside.
    unsafe fn copy_out(
        &self,
        to: *mut c_void,
        from: Address,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status>;
    /// Copies within the device.
    ///
    /// # Safety
    /// 1. Both are valid for `bytes` bytes and do not overlap.
    unsafe fn copy(&self, to: Address, from: Address, bytes: usize, stream: Handle) -> Result<(), Status>;

    /// Launches a kernel.
    ///
    /// # Safety
    /// 1. `words` points to each parameter in turn, of the size and type the kernel expects.
    /// 2. What the parameters point to stays valid until the kernel has finished, and is accessed by nobody else in a
    ///    way that the kernel's contract forbids.
    unsafe fn launch(
        &self,
        function: &Function,
        shape: Shape,
        stream: Handle,
        words: &mut [*mut c_void],
    ) -> Result<(), Status>;
}

impl Status {
    /// Makes the error for a failed call that broke nothing else.
    pub fn into_error(self, device: &str) -> Error {
        Error::Driver { call: self.call, device: device.to_owned(), status: self.text }
    }
}
