use warpweft::prelude::*;

#[kernel]
fn k(text: &str) {
    let _ = text;
}

fn main() {}
