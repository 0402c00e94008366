use warpweft::prelude::*;

#[kernel]
fn k(x: &f32) {
    let _ = x;
}

fn main() {}
