use warpweft::prelude::*;
#[derive(Clone, Copy, KernelArg)] #[repr(C)] pub struct Pair { pub a: f32, pub b: f32 }
#[device] pub const SCALE: f32 = 2.0;
pub fn hosted() {}
pub mod shapes { use super::Pair; #[warpweft::device] pub fn area(p: Pair) -> f32 { p.a * p.b } pub fn perimeter() {} }
#[kernel] pub fn k(p: Pair, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = p.a } }
#[cfg(test)] mod tests { use super::*; #[kernel] fn t(mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = SCALE } } }
