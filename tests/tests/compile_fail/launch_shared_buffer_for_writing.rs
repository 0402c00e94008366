use warpweft::prelude::*;

#[kernel]
fn k(y: DisjointSlice<f32>) {
    let _ = y;
}

fn launch(stream: &Stream, y: &Buffer<f32>) -> warpweft::Result<()> {
    k::launch(stream, Grid::cover(1), y)
}

fn main() {}
