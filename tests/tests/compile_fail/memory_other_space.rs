use warpweft::prelude::*;

#[kernel]
fn mixed(mut y: DisjointSlice<f32>, mut z: DisjointGrid<f32>) {
    y[&thread::index_2d()] = 1.0;
    z[&thread::index()] = 1.0;
}

fn main() {}
