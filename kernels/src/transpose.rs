//! Transposes a matrix, in tiles that go through shared memory, so that both sides are accessed row by row.

use warpweft::prelude::*;
use warpweft::{Error, Result};

/// Rows and columns of a tile; a block has a thread for each of its elements.
#[device]
pub const TILE: usize = 32;

/// Writes `x`, a matrix with as many columns as `out` has rows, to `out` with rows and columns exchanged.
///
/// A column that nobody uses spreads the columns of the tile over all banks of shared memory.
#[kernel]
pub fn transpose(x: &[f32], mut out: DisjointGrid<f32>, shared: Shared<Tile<f32, TILE, { TILE + 1 }>>) {
    let (rows, columns) = (out.columns(), out.rows());
    let [tx, ty, _] = thread::idx().map(|position| position as usize);
    let [bx, by, _] = thread::block_idx().map(|position| position as usize);
    let (row, column) = (bx * TILE + ty, by * TILE + tx);
    let mut phase = shared.phases();
    if row < rows && column < columns {
        phase.arrays().set(x[row * columns + column]);
    }
    let mut phase = phase.sync();
    let tile = phase.arrays();
    if let Some(out) = out.get_mut(&thread::index_2d()) {
        *out = tile[tx][ty];
    }
}

/// Transposes `x`, which has `rows` times `columns` elements, into `out`. Returns once the launch is queued on `stream`.
///
/// # Errors
/// [`Error::Length`] if a buffer has another length, and the errors of a launch.
pub fn run(
    stream: &Stream,
    rows: usize,
    columns: usize,
    x: &DeviceSlice<f32>,
    out: &mut DeviceSlice<f32>,
) -> Result<()> {
    for (what, found) in [("transpose's source", x.len()), ("transpose's result", out.len())] {
        if Some(found) != rows.checked_mul(columns) {
            let destination_len = rows.saturating_mul(columns);
            return Err(Error::Length { what, source_len: found, destination_len });
        }
    }
    let grid = Grid::cover_2d(rows, columns).with_threads((TILE as u32, TILE as u32));
    transpose::launch(stream, grid, x, out.grid_mut(columns, rows)?)
}

/// Computes the same on the CPU.
pub fn reference(rows: usize, columns: usize, x: &[f32]) -> Vec<f32> {
    (0..columns).flat_map(|column| (0..rows).map(move |row| x[row * columns + column])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn equals_the_reference(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        for (rows, columns) in [(1, 1), (32, 32), (5, 100), (100, 5), (65, 33)] {
            let x: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let there = stream.upload(&x)?;
            let mut out = stream.zeros::<f32>(x.len())?;
            run(&stream, rows, columns, &there, &mut out)?;
            assert_eq!(stream.download(&out)?, reference(rows, columns, &x), "{rows} x {columns}");
        }
        Ok(())
    }

    #[warpweft::test]
    fn a_wrong_length_is_refused(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        let x = stream.zeros::<f32>(6)?;
        let mut out = stream.zeros::<f32>(5)?;
        assert!(matches!(run(&stream, 2, 3, &x, &mut out), Err(Error::Length { source_len: 5, .. })));
        assert!(matches!(run(&stream, usize::MAX, 3, &x, &mut out), Err(Error::Length { .. })));
        Ok(())
    }
}
