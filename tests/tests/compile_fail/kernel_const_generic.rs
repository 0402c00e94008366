use warpweft::prelude::*;

#[kernel]
fn k<const N: usize>(x: [f32; N]) {
    let _ = x;
}

fn main() {}
