use warpweft::prelude::*;

#[kernel]
const fn k() {}

fn main() {}
