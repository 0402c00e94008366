use warpweft::prelude::*;

#[kernel]
fn k(x: f32) -> f32 {
    x
}

fn main() {}
