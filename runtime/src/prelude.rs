//! What most programs import: `use warpweft::prelude::*`.

pub use crate::{Element, KernelArg};
#[cfg(not(target_arch = "nvptx64"))]
pub use warpweft_macros::{device, kernel};
