use warpweft::prelude::*;

#[kernel]
fn k(map: std::collections::HashMap<u32, u32>) {
    let _ = map;
}

fn main() {}
