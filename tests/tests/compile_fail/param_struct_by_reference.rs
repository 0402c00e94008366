use warpweft::prelude::*;

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Params {
    x: f32,
}

#[kernel]
fn k(params: &Params) {
    let _ = params.x;
}

fn main() {}
