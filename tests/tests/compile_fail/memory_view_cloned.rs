use warpweft::prelude::*;

#[kernel]
fn cloned(y: DisjointSlice<f32>) {
    let mut a = y.clone();
    let mut b = y;
    let i = thread::index();
    core::mem::swap(&mut a[&i], &mut b[&i]);
}

fn main() {}
