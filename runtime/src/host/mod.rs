//! The host side: devices, streams, buffers and launches.
//!
//! A [`Device`] holds a context and makes streams. Streams, events and buffers keep the context they belong to, so
//! that each of them knows whether it may still be used. What differs between a GPU and the simulator lies behind the
//! trait `driver::Driver`; only the last step of a launch is not the same: the simulator calls the kernel's function.

mod buffer;
pub(crate) mod context;
mod device;
pub(crate) mod driver;
mod error;
mod event;
pub(crate) mod fork;
mod grid;
mod kernel;
mod launch;
mod limits;
mod param;
mod recent;
pub(crate) mod record;
mod simulated;
#[cfg(test)]
mod stand_in;
mod store;
mod stream;
pub mod testing;
#[cfg(test)]
mod tests;
mod usage;
mod views;

pub use buffer::{Buffer, DevicePtr, DeviceSlice, View, ViewMut};
pub use device::Device;
pub use error::{Error, KernelPanic, LostCause, Result};
pub use event::Event;
pub use grid::{Dim3, Grid};
pub use kernel::{Image, Kernel};
pub use launch::launch;
pub use limits::Limits;
pub use param::{HostParam, Params};
pub use stream::Stream;
pub use views::GridMut;
