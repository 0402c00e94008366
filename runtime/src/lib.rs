//! GPU kernels as ordinary Rust functions, on NVIDIA GPUs and on CPU threads.
//!
//! A function under [`#[kernel]`](macro@kernel) is compiled to PTX by the build helper `warpweft-build`, with a stock
//! toolchain, and its typed launcher runs it on a GPU or, the very same function, on the simulator.
//! ```
//! use warpweft::prelude::*;
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
//!     let i = thread::index(); // this thread's own index over the whole grid
//!     if let Some(y) = y.get_mut(&i) {
//!         *y = a * x[&i] + *y;
//!     }
//! }
//!
//! fn main() -> warpweft::Result<()> {
//!     let device = Device::any()?; // the first CUDA device, or else the simulator
//!     let stream = device.stream()?;
//!     let x = stream.upload(&[1.0_f32; 1000])?;
//!     let mut y = stream.zeros::<f32>(1000)?;
//!     saxpy::launch(&stream, Grid::cover(y.len()), 2.0, &x, &mut y)?;
//!     assert_eq!(stream.download(&y)?, [2.0; 1000]);
//!     Ok(())
//! }
//! ```
//! A package with kernels also needs `warpweft-build` under `[build-dependencies]`, and a `build.rs` that calls
//! `warpweft_build::compile()`.
//!
//! # Where to find what
//! | for | see |
//! | --- | --- |
//! | parameters of a kernel, and what the launcher takes for them | [`#[kernel]`](macro@kernel) |
//! | functions, types and consts that kernels use | [`#[device]`](macro@device) |
//! | structs as parameters and as elements of buffers | [`KernelArg`](derive@KernelArg), [`Element`](derive@Element) |
//! | which thread this is | [`device::thread`] |
//! | global memory that a kernel writes | [`device::view`] |
//! | memory that the threads of a block share | [`device::shared`] |
//! | atomic operations, scopes and fences | [`device::atomic`] |
//! | `sin`, `sqrt` and so on | [`device::math`] |
//! | warps and bare barriers (`unsafe`) | [`device::warp`], [`device::barrier`] |
//! | devices, streams, buffers, the shape of a launch | [`Device`], [`Stream`], [`Buffer`], [`Grid`] |
//! | what can go wrong, and panics in kernels | [`Error`], [`KernelPanic`] |
//! | tests that run on every device | [`#[warpweft::test]`](macro@test) |
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
