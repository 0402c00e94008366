use warpweft::prelude::*;

type Kept<T> = DisjointSlice<'static, T>;

#[kernel]
fn k(a: f32, mut y: Kept<f32>) {
    y[&thread::index()] = a;
}

fn main() {}
