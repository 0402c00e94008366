use warpweft::prelude::*;

#[derive(Clone, Copy, KernelArg)]
struct Params {
    x: f32,
}

fn main() {}
