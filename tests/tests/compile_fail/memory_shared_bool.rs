use warpweft::prelude::*;

#[kernel]
fn flags(shared: Shared<[bool; 64]>) {}

fn main() {}
