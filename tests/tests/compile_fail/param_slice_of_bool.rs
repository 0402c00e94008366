use warpweft::prelude::*;

#[kernel]
fn k(flags: &[bool]) {
    let _ = flags;
}

fn main() {}
