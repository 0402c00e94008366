use warpweft::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
union Bits {
    float: f32,
    int: u32,
}

fn main() {}
