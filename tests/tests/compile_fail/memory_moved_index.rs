use warpweft::prelude::*;

#[kernel]
fn moved(mut y: DisjointSlice<f32>) {
    let i = thread::index();
    let write = move |value| y[&i] = value;
    write(i.get() as f32);
}

fn main() {}
