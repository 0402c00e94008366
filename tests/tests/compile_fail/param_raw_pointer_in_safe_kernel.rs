use warpweft::prelude::*;

#[kernel]
fn k(x: *const f32) {
    let _ = x;
}

fn main() {}
