use warpweft::prelude::*;

#[kernel]
fn k(f: impl Fn(f32) -> f32) {
    f(1.0);
}

fn main() {}
