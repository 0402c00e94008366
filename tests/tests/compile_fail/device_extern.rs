use warpweft::prelude::*;

#[device]
extern "C" fn f() {}

fn main() {}
