use warpweft::prelude::*;

#[device]
async fn f() {}

fn main() {}
