use warpweft::prelude::*;

#[kernel]
fn stale(mut y: DisjointSlice<f32>, shared: Shared<Double<[f32; 64]>>) {
    let mut rounds = shared.rounds();
    let (_, read) = rounds.arrays();
    rounds.sync();
    y[&thread::index()] = read[0];
}

fn main() {}
