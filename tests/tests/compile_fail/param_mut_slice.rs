use warpweft::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {}
