use warpweft::prelude::*;

#[device(inline)]
fn f() {}

fn main() {}
