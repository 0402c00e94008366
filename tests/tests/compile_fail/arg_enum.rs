use warpweft::prelude::*;

#[derive(Clone, Copy, KernelArg)]
#[repr(u8)]
enum Mode {
    Fast,
    Exact,
}

fn main() {}
