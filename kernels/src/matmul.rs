//! Multiplies two matrices, tile by tile through shared memory.

use warpweft::prelude::*;
use warpweft::{Error, Result};

/// Rows and columns of a tile; a block has a thread for each of its elements.
#[device]
pub const TILE: usize = 16;

/// Writes `a` times `b` to `out`. `a` has as many rows as `out` and `inner` columns, `b` has `inner` rows and as many
/// columns as `out`.
#[kernel]
pub fn matmul(
    a: &[f32],
    b: &[f32],
    inner: usize,
    mut out: DisjointGrid<f32>,
    shared: Shared<(Tile<f32, TILE, TILE>, Tile<f32, TILE, TILE>)>,
) {
    let place = thread::index_2d();
    let (rows, columns) = (out.rows(), out.columns());
    let (row, column) = (place.row(), place.column());
    let [x, y, _] = thread::idx().map(|position| position as usize);

    let mut sum = 0.0;
    let mut phase = shared.phases();
    let mut first = 0;
    while first < inner {
        // Beyond the edges a tile holds zeros, which add nothing.
        let inside = row < rows && first + x < inner;
        let from_a = if inside { a[row * inner + first + x] } else { 0.0 };
        let inside = first + y < inner && column < columns;
        let from_b = if inside { b[(first + y) * columns + column] } else { 0.0 };
        let (mut tile_a, mut tile_b) = phase.arrays();
        tile_a.set(from_a);
        tile_b.set(from_b);
        let mut filled = phase.sync();
        let (tile_a, tile_b) = filled.arrays();
        for k in 0..TILE {
            sum = tile_a[y][k].mul_add(tile_b[k][x], sum);
        }
        phase = filled.sync();
        first += TILE;
    }
    if let Some(out) = out.get_mut(&place) {
        *out = sum;
    }
}

/// Multiplies `a`, of `rows` times `inner` elements, by `b`, of `inner` times `columns`, into `out`. Returns once the
/// launch is queued on `stream`.
///
/// # Errors
/// [`Error::Length`] if a buffer has another length, and the errors of a launch.
pub fn run(
    stream: &Stream,
    (rows, inner, columns): (usize, usize, usize),
    a: &DeviceSlice<f32>,
    b: &DeviceSlice<f32>,
    out: &mut DeviceSlice<f32>,
) -> Result<()> {
    let lengths = [
        ("matmul's left factor", a.len(), rows, inner),
        ("matmul's right factor", b.len(), inner, columns),
        ("matmul's result", out.len(), rows, columns),
    ];
    for (what, found, height, width) in lengths {
        if Some(found) != height.checked_mul(width) {
            let destination_len = height.saturating_mul(width);
            return Err(Error::Length { what, source_len: found, destination_len });
        }
    }
    let grid = Grid::cover_2d(columns, rows).with_threads((TILE as u32, TILE as u32));
    matmul::launch(stream, grid, a, b, inner, out.grid_mut(rows, columns)?)
}

/// Computes the same on the CPU, with the same rounding.
pub fn reference((rows, inner, columns): (usize, usize, usize), a: &[f32], b: &[f32]) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..inner).fold(0.0_f32, |sum, k| a[row * inner + k].mul_add(b[k * columns + column], sum))
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| element(row, column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn equals_the_reference(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        for shape in [(1, 1, 1), (16, 16, 16), (64, 64, 64), (17, 5, 40), (3, 100, 2), (4, 0, 4)] {
            let (rows, inner, columns) = shape;
            let values = |count: usize, step: f32| -> Vec<f32> {
                (0..count).map(|i| (i as f32 * step).fract() - 0.5).collect()
            };
            let (a, b) = (values(rows * inner, 0.37), values(inner * columns, 0.61));
            let (a_there, b_there) = (stream.upload(&a)?, stream.upload(&b)?);
            let mut out = stream.zeros::<f32>(rows * columns)?;
            run(&stream, shape, &a_there, &b_there, &mut out)?;
            assert_eq!(stream.download(&out)?, reference(shape, &a, &b), "{shape:?}");
        }
        Ok(())
    }
}
