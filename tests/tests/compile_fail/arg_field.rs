use warpweft::prelude::*;

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Params {
    x: f32,
    table: *const f32,
}

fn main() {}
