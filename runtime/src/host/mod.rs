//! The host side of the runtime.
mod error;

pub use error::KernelPanic;
