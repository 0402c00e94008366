use warpweft::prelude::*;

#[kernel]
fn k(f: fn(f32) -> f32) {
    f(1.0);
}

fn main() {}
