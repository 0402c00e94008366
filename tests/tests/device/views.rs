//! Views of global memory: who owns what, in grids of every shape.

use warpweft::prelude::*;
use warpweft::{Dim3, Result};

#[kernel]
fn ranks(mut out: DisjointSlice<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out += 1 + i.get() as u32;
    }
}

#[kernel]
fn strides(mut out: DisjointSlice<u32>) {
    for (i, out) in out.strided(&thread::index()) {
        *out += 1 + i as u32;
    }
}

#[kernel]
fn chunks(mut out: DisjointChunks<u32, 3>) {
    let i = thread::index();
    for out in out.get_mut(&i) {
        *out += 1 + i.get() as u32;
    }
}

#[kernel]
fn places(mut out: DisjointGrid<u32>) {
    let i = thread::index_2d();
    if let Some(out) = out.get_mut(&i) {
        *out += 1 + 1000 * i.row() as u32 + i.column() as u32;
    }
}

/// Grids and blocks in one, two and three dimensions.
fn shapes() -> [Grid; 5] {
    let grid = |blocks: [u32; 3], threads: [u32; 3]| Grid::new(Dim3::from(blocks), Dim3::from(threads));
    [
        grid([3, 1, 1], [64, 1, 1]),
        grid([2, 3, 1], [8, 4, 1]),
        grid([1, 2, 2], [5, 3, 2]),
        grid([2, 1, 3], [1, 7, 3]),
        grid([2, 2, 2], [4, 4, 4]),
    ]
}

#[warpweft::test]
fn each_element_has_one_owner(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    for grid in shapes() {
        let threads = (grid.blocks().count() * grid.threads().count()) as usize;
        for len in [1, threads - 1, threads, 3 * threads + 2] {
            let mut out = stream.zeros::<u32>(len)?;
            ranks::launch(&stream, grid, &mut out)?;
            let first: Vec<u32> = (0..len).map(|i| if i < threads { 1 + i as u32 } else { 0 }).collect();
            assert_eq!(stream.download(&out)?, first);

            let mut out = stream.zeros::<u32>(len)?;
            strides::launch(&stream, grid, &mut out)?;
            assert!(stream.download(&out)?.into_iter().eq(1..=len as u32));

            let mut out = stream.zeros::<u32>(len)?;
            chunks::launch(&stream, grid, &mut out)?;
            let by_three: Vec<u32> =
                (0..len).map(|i| if i / 3 < threads { 1 + i as u32 / 3 } else { 0 }).collect();
            assert_eq!(stream.download(&out)?, by_three);
        }
    }
    Ok(())
}

#[warpweft::test]
fn each_place_has_one_owner(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    for grid in shapes() {
        let (blocks, threads) = (grid.blocks(), grid.threads());
        let (height, width) = ((blocks.y * threads.y) as usize, (blocks.x * threads.x) as usize);
        for (rows, columns) in [(height, width), (height + 1, width + 2), (height.div_ceil(2), 1)] {
            let mut out = stream.zeros::<u32>(rows * columns + 5)?;
            places::launch(&stream, grid, out.grid_mut(rows, columns)?)?;
            for (position, value) in stream.download(&out)?.into_iter().enumerate() {
                let (row, column) = (position / columns, position % columns);
                let owned = row < rows && row < height && column < width;
                assert_eq!(
                    value,
                    if owned { 1 + (1000 * row + column) as u32 } else { 0 },
                    "{row}, {column}"
                );
            }
        }
    }
    Ok(())
}

#[warpweft::test]
fn a_matrix_larger_than_its_buffer_is_refused(device: &Device) -> Result<()> {
    let mut out = device.stream()?.zeros::<u32>(99)?;
    assert!(matches!(
        out.grid_mut(10, 10),
        Err(warpweft::Error::GridRange { rows: 10, columns: 10, len: 99 })
    ));
    assert!(out.grid_mut(usize::MAX, 2).is_err());
    Ok(())
}
