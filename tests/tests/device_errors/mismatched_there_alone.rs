// says: refused_by_the_device_compiler | mismatched types: expected `u32`, found `f32`
use warpweft::prelude::*;

#[cfg(target_arch = "nvptx64")]
#[device]
type Number = u32;
#[cfg(not(target_arch = "nvptx64"))]
#[device]
type Number = f32;

#[kernel]
fn k(x: f32) {
    let _: Number = /*@*/x;
}

fn main() {}
