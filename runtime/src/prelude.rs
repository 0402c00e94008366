//! What most programs import: `use warpweft::prelude::*`.

pub use crate::device::atomic::{Atomic, Atomics, Ordering};
pub use crate::device::math::Float;
pub use crate::device::shared::{Double, Later, Shared, Tile};
pub use crate::device::view::{DisjointChunks, DisjointGrid, DisjointSlice, RawSlice};
pub use crate::device::{thread, warp};
#[cfg(not(target_arch = "nvptx64"))]
pub use crate::{Buffer, Device, DeviceSlice, Event, Grid, Stream};
pub use crate::{Element, KernelArg};
#[cfg(not(target_arch = "nvptx64"))]
pub use warpweft_macros::{device, kernel};
