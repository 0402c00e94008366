use warpweft::prelude::*;

#[kernel]
fn k(x: [f32]) {}

fn main() {}
