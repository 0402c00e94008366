use warpweft::prelude::*;
use std::ops::Add;
#[device] #[derive(Clone, Copy)] struct S(f32);
impl S { fn host(&self) {} fn new() -> S { S(0.0) } #[device] fn dev(&self) {} }
impl Add for S { type Output = S; fn add(self, o: S) -> S { S(self.0 + o.0) } }
trait Area { fn area(&self) -> f32; }
impl Area for S { fn area(&self) -> f32 { 1.0 } }
#[device] trait Known { fn known(&self) {} }
impl Known for S {}
#[kernel] fn k(x: f32) { let s = S(x); s.dev(); s.host(); let t = S::new(); s + s; s.area(); s.known(); let n: u32 = x; }
fn main() {}
//~ 10:51 `host` is called from kernel `k`: add #[device] to the method in line 4
//~ 10:70 `new` is called from kernel `k`: add #[device] to the method in line 4
//~ 10:79 `Add for S` is used in kernel `k`: add #[device] to the impl in line 5
//~ 10:86 `area` is called from kernel `k`: add #[device] to the method in line 7
//~ 10:96 `Known for S` is used in kernel `k`: add #[device] to the impl in line 9
//~ 10:118 in device code: mismatched types: expected `u32`, found `f32`
