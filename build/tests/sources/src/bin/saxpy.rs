use warpweft::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) { *y = a * x[&i] + *y; }
}

fn main() { println!("{:?}", vec![1]); }
