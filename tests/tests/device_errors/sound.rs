// says nothing
use warpweft::prelude::*;

#[kernel]
fn k() {}

fn main() {}
