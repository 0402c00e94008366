// says: error[E0308]: mismatched types
use warpweft::prelude::*;

#[kernel]
fn k(x: f32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = /*@*/x;
    }
}

fn main() {}
