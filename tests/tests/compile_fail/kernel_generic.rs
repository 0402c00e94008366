use warpweft::prelude::*;

#[kernel]
fn k<T: Element>(x: &[T]) {
    let _ = x;
}

fn main() {}
