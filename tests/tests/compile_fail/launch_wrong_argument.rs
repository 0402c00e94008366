use warpweft::prelude::*;

#[kernel]
fn k(x: u32) {
    let _ = x;
}

fn launch(stream: &Stream) -> warpweft::Result<()> {
    k::launch(stream, Grid::cover(1), 1.0_f32)
}

fn main() {}
