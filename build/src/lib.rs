//! Build-script helper of Warpweft: compiles the kernels of a package to PTX with a stock rustc.
//!
//! ```no_run
//! // build.rs
//! warpweft_build::compile();
//! ```

mod error;
pub mod install;
mod process;
pub mod toolchain;

pub use error::{Error, Result};

#[allow(dead_code, reason = "reached once `compile` uses it")]
mod view;

/// Compiles the kernels of the package whose build script calls it.
pub fn compile() {}
