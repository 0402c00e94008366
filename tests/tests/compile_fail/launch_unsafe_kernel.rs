use warpweft::prelude::*;

/// # Safety
/// None is needed: this shows that the launcher asks all the same.
#[kernel]
unsafe fn k(n: u32) {
    let _ = n;
}

fn launch(stream: &Stream) -> warpweft::Result<()> {
    k::launch(stream, Grid::cover(1), 1)
}

fn main() {}
