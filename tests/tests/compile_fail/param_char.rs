use warpweft::prelude::*;

#[kernel]
fn k(x: char) {
    let _ = x;
}

fn main() {}
