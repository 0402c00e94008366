use warpweft::prelude::*;

#[kernel]
async fn k() {}

fn main() {}
