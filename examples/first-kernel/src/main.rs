//! The README's first page as a package of its own.

use warpweft::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index(); // this thread's own index over the whole grid: nobody else holds it
    if let Some(y) = y.get_mut(&i) {
        *y = a * x[&i] + *y; // they borrow `i`, which stays this thread's own
    }
}

fn main() -> warpweft::Result<()> {
    let device = Device::any()?; // the first CUDA device, or else the simulator
    let stream = device.stream()?;
    let x = stream.upload(&vec![1.0_f32; 1 << 20])?;
    let mut y = stream.zeros::<f32>(1 << 20)?;
    saxpy::launch(&stream, Grid::cover(y.len()), 2.0, &x, &mut y)?; // typed, checked, no `unsafe`
    println!("{:?}", &stream.download(&y)?[..4]);
    Ok(())
}
