use warpweft::prelude::*;

#[kernel]
extern "C" fn k() {}

fn main() {}
