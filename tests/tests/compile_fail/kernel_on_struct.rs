use warpweft::prelude::*;

#[kernel]
struct Params {
    x: f32,
}

fn main() {}
