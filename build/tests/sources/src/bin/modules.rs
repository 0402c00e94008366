use warpweft::prelude::*;
#[macro_use] #[path = "../shared/math.rs"] pub mod math;
mod inner { use super::*; pub mod deep { use crate::math::{length as len, print, Vec2}; use super::*;
    #[kernel] fn k(v: Vec2, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = len(v) } } } fn host() {} } fn host() {}
mod prelude { pub use crate::math::*; pub use std::collections::HashMap; }
#[cfg(feature = "off")] mod missing_file;
#[cfg(feature = "on")] mod on { use crate::prelude::*; use warpweft::prelude::*; #[kernel] fn k(v: Vec2, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = square!(length(v)) } } }
fn main() {}
