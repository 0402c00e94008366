use warpweft::prelude::*;

#[kernel]
fn k(x: &[f32], y: DisjointSlice<f32>) {
    let _ = (x, y);
}

fn launch(stream: &Stream, y: &mut Buffer<f32>) -> warpweft::Result<()> {
    k::launch(stream, Grid::cover(1), y, y)
}

fn main() {}
