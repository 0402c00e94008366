use warpweft::prelude::*;

#[kernel]
fn twice(mut y: DisjointSlice<f32>) {
    let i = thread::index();
    let a = y.get_mut(&i);
    let b = y.get_mut(&i);
    if let (Some(a), Some(b)) = (a, b) {
        core::mem::swap(a, b);
    }
}

fn main() {}
