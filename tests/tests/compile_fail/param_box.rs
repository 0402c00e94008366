use warpweft::prelude::*;

#[kernel]
fn k(x: Box<[f32]>) {
    let _ = x;
}

fn main() {}
