use warpweft::prelude::*;

#[kernel(blocks = 256)]
fn k() {}

fn main() {}
