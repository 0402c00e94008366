//! A kernel with the name, line and column of the one in the root: only the file tells them apart.

use warpweft::prelude::*;

/// Launches the kernel of this module.
#[cfg_attr(not(test), allow(dead_code))]
pub fn of_module(device: &Device) -> warpweft::Result<Vec<u32>> {
    super::run(device, |stream, y| number::launch(stream, Grid::cover(2), y))
}

//
//
//
//
//
//
//
//
//
//
//
//
//
#[kernel]
pub fn number(mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 30;
    }
}
