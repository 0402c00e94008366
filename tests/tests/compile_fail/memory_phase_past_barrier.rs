use warpweft::prelude::*;

#[kernel]
fn stale(mut y: DisjointSlice<f32>, shared: Shared<[f32; 64]>) {
    let mut phase = shared.phases().sync();
    let tile = phase.arrays();
    let _next = phase.sync();
    y[&thread::index()] = tile[0];
}

fn main() {}
