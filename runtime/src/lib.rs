//! GPU kernels as ordinary Rust functions, on NVIDIA GPUs and on CPU threads.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(link_llvm_intrinsics, asm_experimental_arch))]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features, reason = "the GPU's instructions are intrinsics")
)]

pub mod device;
mod panic_record;
mod param;
pub mod prelude;

#[cfg(all(not(target_arch = "nvptx64"), not(sim)))]
mod cuda;
#[cfg(not(target_arch = "nvptx64"))]
mod expansion;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod sim;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{
    Buffer, Device, DevicePtr, DeviceSlice, Dim3, Error, Event, Grid, GridMut, KernelPanic, Limits,
    LostCause, Result, Stream, View, ViewMut,
};
pub use param::{Element, KernelArg};
#[cfg(not(target_arch = "nvptx64"))]
pub use warpweft_macros::{Element, KernelArg, device, kernel, test};

// The macros write `::warpweft`, also in this crate's own tests.
#[cfg(test)]
extern crate self as warpweft;

/// What the macros and the build helper write in a user's crate; not for direct use.
#[doc(hidden)]
pub mod __private {
    #[cfg(not(target_arch = "nvptx64"))]
    pub use crate::host::{HostParam, Image, Kernel, Params, launch, testing};
    pub use crate::param::KernelParam;
}
