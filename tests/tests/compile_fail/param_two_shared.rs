use warpweft::prelude::*;

#[kernel]
fn k(a: Shared<[f32; 4]>, b: Shared<[f32; 4]>) {
    let _ = (a, b);
}

fn main() {}
