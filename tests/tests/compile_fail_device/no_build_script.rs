use warpweft::prelude::*;

#[kernel]
fn first() {}

#[kernel]
fn second() {}

fn main() {}
