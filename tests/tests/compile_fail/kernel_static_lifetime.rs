use warpweft::prelude::*;

#[kernel]
fn k(x: &'static [f32]) {
    let _ = x;
}

fn main() {}
