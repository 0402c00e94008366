use warpweft::device::thread::ThreadIndex;
use warpweft::prelude::*;

#[kernel]
fn forged(mut y: DisjointSlice<f32>) {
    let i = ThreadIndex { rank: 0 };
    y[&i] = 1.0;
    y[&7] = 1.0;
}

fn main() {}
