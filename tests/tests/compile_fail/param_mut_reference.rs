use warpweft::prelude::*;

#[kernel]
fn k(x: &mut f32) {
    *x = 1.0;
}

fn main() {}
