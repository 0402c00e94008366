//! whole

use warpweft::prelude::*;

#[kernel]
fn number(mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 80;
    }
}

#[warpweft::test]
fn of_integration_test(device: &Device) -> warpweft::Result<()> {
    assert_eq!(targets::run(device, |stream, y| number::launch(stream, Grid::cover(2), y))?, [80, 80]);
    assert_eq!(targets::of_library(device)?, [10, 10]);
    Ok(())
}
