use warpweft::prelude::*;

#[kernel]
fn k(f: &dyn Fn(f32) -> f32) {
    f(1.0);
}

fn main() {}
