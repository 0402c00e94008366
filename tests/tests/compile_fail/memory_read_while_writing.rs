use warpweft::prelude::*;

#[kernel]
fn reads(mut y: DisjointSlice<f32>, shared: Shared<[f32; 64]>) {
    let mut phase = shared.phases();
    y[&thread::index()] = phase.arrays()[63];
}

fn main() {}
