//! GPU kernels as ordinary Rust functions, on NVIDIA GPUs and on CPU threads.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(stdarch_nvptx, link_llvm_intrinsics, asm_experimental_arch))]

pub mod device;
mod param;
pub mod prelude;

#[cfg(all(not(target_arch = "nvptx64"), not(sim)))]
mod cuda;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod sim;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Dim3, Error, Grid, KernelPanic, Limits, LostCause, Result};
pub use param::{Element, KernelArg};

/// What the macros and the build helper write in a user's crate; not for direct use.
#[doc(hidden)]
pub mod __private {
    #[cfg(not(target_arch = "nvptx64"))]
    pub use crate::host::{Image, Kernel};
    pub use crate::param::KernelParam;
}
