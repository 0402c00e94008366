use warpweft::prelude::*;

#[kernel]
fn k(x: Vec<f32>) {
    let _ = x;
}

fn main() {}
