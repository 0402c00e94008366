use warpweft::prelude::*;
mod a { use super::*;
  /* ß */ #[device] fn f() -> f32 { "ß"; größe } } mod b { /* ß */ #[warpweft::kernel] fn k(x: f32) { gone() } }
macro_rules! m { () => { nowhere() } }
#[kernel] fn k(x: f32) { m!() }
#[device] fn g() { m!() }
fn main() {}
//~ 3:42 in device code: cannot find value `größe` in this scope
//~ 3:103 in device code: cannot find function `gone` in this scope
//~ 5:26 in device code: cannot find function `nowhere` in this scope
//~ 6:20 in device code: cannot find function `nowhere` in this scope
