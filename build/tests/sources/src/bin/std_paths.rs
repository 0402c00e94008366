use warpweft::prelude::*;
use std::{collections::HashMap, f32::consts::{self, PI}, fmt::{self, Debug}, ops::{Add as Plus, Mul}};
use std::io::Write as _;
#[derive(Clone, Copy, Debug, PartialEq, Default, KernelArg)]
#[repr(C)]
struct V { x: f32 }
#[device]
impl Plus for V { type Output = V; fn add(self, o: V) -> V { V { x: self.x + o.x } } }
#[device]
impl Mul<f32> for V { type Output = V; fn mul(self, o: f32) -> V { V { x: self.x.mul(o).add(1.0) } } }
impl fmt::Display for V { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}", self.x) } }
#[kernel]
fn k(v: V, mut y: DisjointSlice<f32>) {
    use std::mem::size_of;
    let w = v + v * PI * consts::E * std::f32::consts::TAU;
    if let Some(y) = y.get_mut(&thread::index()) { *y = w.x + size_of::<V>() as f32 + std::cmp::max(1, 2) as f32; }
}
fn main() { let _: HashMap<u8, Box<dyn Debug>>; }
