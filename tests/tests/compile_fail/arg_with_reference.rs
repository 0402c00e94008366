use warpweft::prelude::*;

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Params<'a> {
    x: &'a [f32],
}

fn main() {}
