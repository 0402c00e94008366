// says: `helper` | add #[device]
use warpweft::prelude::*;

fn helper(x: f32) -> f32 {
    x + 1.0
}

#[kernel]
fn k(mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = /*@*/helper(*y);
    }
}

fn main() {}
