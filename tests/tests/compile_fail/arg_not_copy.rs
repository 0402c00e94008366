use warpweft::prelude::*;

#[derive(KernelArg)]
#[repr(C)]
struct Params {
    x: f32,
}

fn main() {}
