//! The host side: devices, streams, buffers and launches.

pub(crate) mod error;
pub(crate) mod grid;
pub(crate) mod kernel;
pub(crate) mod limits;

pub use error::{Error, KernelPanic, LostCause, Result};
pub use grid::{Dim3, Grid};
pub use kernel::{Image, Kernel};
pub use limits::Limits;
