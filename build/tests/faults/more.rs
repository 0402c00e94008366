use nalgebra::*;
use warpweft::prelude::*;
#[device] trait Area { fn area(&self) -> f32; fn other(&self) -> f32; }
#[device] struct S;
impl Area for S { #[device] fn area(&self) -> f32 { 1.0 } fn other(&self) -> f32 { 2.0 } }
#[kernel] fn k(x: f32) { let v: Vector3; S.area(); }
#[kernel] fn j(x: f32) { use std::collections::HashMap; let m: Vec<u8>; }
fn main() {}
//~ 5:1 this impl is device code in part, without `other`: put #[device] on the whole impl
//~ 6:33 `Vector3` seems to be of another crate, `nalgebra` (`use` in line 1): device code can use
//~ 7:35 `std::collections` is host-only
//~ 7:64 `Vec` is host-only
