use warpweft::prelude::*;

#[kernel]
fn k(text: String) {
    let _ = text;
}

fn main() {}
