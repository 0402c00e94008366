//! The algorithms that need shared memory, in the safe phases, each against its definition.

use warpweft::Result;
use warpweft::device::atomic::Block;
use warpweft::device::shared::{Even, Phase};
use warpweft::prelude::*;

use crate::{noise, sixteenths};

#[device]
const THREADS: usize = 256;

/// The sum of each block's 256 elements, by halves.
#[kernel]
fn sums(x: &[u32], mut out: DisjointChunks<u32, 1>, shared: Shared<Double<[u32; THREADS]>>) {
    let rank = thread::rank() as usize;
    let mut sum = x[&thread::index()];
    let mut rounds = shared.rounds();
    let mut half = THREADS / 2;
    while half > 0 {
        rounds.arrays().0.set(sum);
        rounds.sync();
        if rank < half {
            sum = sum.wrapping_add(rounds.arrays().1[rank + half]);
        }
        half /= 2;
    }
    if let Some(out) = out.get_array_mut(&thread::index()) {
        *out = [sum];
    }
}

#[warpweft::test]
fn reduction(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x = noise(7 * THREADS);
    let mut out = stream.zeros::<u32>(x.len())?;
    sums::launch(&stream, Grid::new(7, THREADS as u32), &stream.upload(&x)?, &mut out)?;
    let out = stream.download(&out)?;
    for (block, x) in x.chunks(THREADS).enumerate() {
        assert_eq!(out[block * THREADS], x.iter().fold(0_u32, |sum, x| sum.wrapping_add(*x)));
    }
    Ok(())
}

type Tiles = (Tile<f32, 16, 16>, Tile<f32, 16, 17>);

/// Matrix product in tiles of 16 by 16; `n` is a multiple of 16.
#[kernel]
fn matmul(
    n: u32,
    a: &[f32],
    b: &[f32],
    mut c: DisjointGrid<f32>,
    shared: Shared<(Tile<f32, 16, 16>, Tile<f32, 16, 17>)>,
) {
    let (n, i) = (n as usize, thread::index_2d());
    let [x, y, _] = thread::idx().map(|i| i as usize);
    let mut sum = 0.0;
    let mut fill = shared.phases();
    for tile in 0..n / 16 {
        let (mut tile_a, mut tile_b) = fill.arrays();
        tile_a.set(a[i.row() * n + tile * 16 + x]);
        tile_b.set(b[(tile * 16 + y) * n + i.column()]);
        let mut read = fill.sync();
        let (tile_a, tile_b) = read.arrays();
        for k in 0..16 {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        fill = read.sync();
    }
    if let Some(c) = c.get_mut(&i) {
        *c = sum;
    }
}

#[warpweft::test]
fn tiled_matmul(device: &Device) -> Result<()> {
    let (stream, n) = (device.stream()?, 48);
    let (a, b) = (sixteenths(n * n), sixteenths(2 * n * n).split_off(n * n));
    let mut c = stream.zeros::<f32>(n * n)?;
    let (device_a, device_b) = (stream.upload(&a)?, stream.upload(&b)?);
    matmul::launch(&stream, Grid::new((3, 3), (16, 16)), n as u32, &device_a, &device_b, c.grid_mut(n, n)?)?;
    let c = stream.download(&c)?;
    for (row, line) in c.chunks(n).enumerate() {
        for (column, &c) in line.iter().enumerate() {
            // Products of sixteenths below 8 and sums of 48 of them are exact in f32.
            assert_eq!(c, (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum::<f32>());
        }
    }
    Ok(())
}

/// Transposes through a padded tile of 32 by 33 with blocks of 32 by 8.
#[kernel]
fn transpose(
    rows: u32,
    columns: u32,
    x: &[f32],
    mut y: DisjointGrid<[f32; 1]>,
    shared: Shared<Tile<f32, 32, 33>>,
) {
    let (rows, columns) = (rows as usize, columns as usize);
    let [bx, by, _] = thread::block_idx().map(|i| i as usize);
    let mut phase = shared.phases();
    for ((r, c), element) in phase.arrays().iter_mut() {
        // The output's rows are the input's columns.
        let (row, column) = (bx * 32 + r, by * 32 + c);
        if c < 32 && row < rows && column < columns {
            *element = x[row * columns + column];
        }
    }
    let mut phase = phase.sync();
    let tile = phase.arrays();
    let i = thread::index_2d();
    if let Some(y) = y.get_mut(&i) {
        *y = [tile[i.column() - bx * 32][i.row() - by * 32]];
    }
}

#[warpweft::test]
fn padded_transpose(device: &Device) -> Result<()> {
    let (stream, rows, columns) = (device.stream()?, 70, 45);
    let x = sixteenths(rows * columns);
    let mut y = stream.zeros::<[f32; 1]>(rows * columns)?;
    // One thread per element of the output, in blocks of 32 by 32.
    let grid = Grid::new((rows.div_ceil(32) as u32, columns.div_ceil(32) as u32), (32, 32));
    let device_x = stream.upload(&x)?;
    transpose::launch(&stream, grid, rows as u32, columns as u32, &device_x, y.grid_mut(columns, rows)?)?;
    let y = stream.download(&y)?;
    for row in 0..rows {
        for column in 0..columns {
            assert_eq!(y[column * rows + row], [x[row * columns + column]], "{row}, {column}");
        }
    }
    Ok(())
}

/// The sum of each element and its neighbours up to three places away, through a tile with a halo.
#[kernel]
fn stencil(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<[u32; THREADS + 6]>) {
    let first = thread::block_idx()[0] as usize * THREADS;
    let mut phase = shared.phases();
    for (k, element) in phase.arrays().iter_mut() {
        let i = (first + k).checked_sub(3);
        *element = i.and_then(|i| x.get(i)).copied().unwrap_or(0);
    }
    let mut phase = phase.sync();
    let tile = phase.arrays();
    let rank = thread::rank() as usize;
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = tile[rank..rank + 7].iter().sum();
    }
}

#[warpweft::test]
fn stencil_with_halo(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x = noise(1000);
    let mut y = stream.zeros::<u32>(x.len())?;
    stencil::launch(&stream, Grid::new(4, THREADS as u32), &stream.upload(&x)?, &mut y)?;
    let want: Vec<u32> =
        (0..1000).map(|i: usize| x[i.saturating_sub(3)..(i + 4).min(1000)].iter().sum()).collect();
    assert_eq!(stream.download(&y)?, want);
    Ok(())
}

/// The inclusive scan of each block's 256 elements.
#[kernel]
fn scan(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    let mut sum = x[&i];
    let mut rounds = shared.rounds();
    let mut distance = 1;
    while distance < THREADS {
        rounds.arrays().0.set(sum);
        rounds.sync();
        if rank >= distance {
            sum = sum.wrapping_add(rounds.arrays().1[rank - distance]);
        }
        distance *= 2;
    }
    y[&i] = sum;
}

#[warpweft::test]
fn block_scan(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x = noise(3 * THREADS);
    let mut y = stream.zeros::<u32>(x.len())?;
    scan::launch(&stream, Grid::new(3, THREADS as u32), &stream.upload(&x)?, &mut y)?;
    let y = stream.download(&y)?;
    for (x, y) in x.chunks(THREADS).zip(y.chunks(THREADS)) {
        let mut sum = 0_u32;
        for (x, y) in x.iter().zip(y) {
            sum = sum.wrapping_add(*x);
            assert_eq!(*y, sum);
        }
    }
    Ok(())
}

/// Sorts each block's 256 elements.
#[kernel]
fn sort(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    let mut mine = x[&i];
    let mut rounds = shared.rounds();
    let mut size = 2;
    while size <= THREADS {
        let mut distance = size / 2;
        while distance > 0 {
            rounds.arrays().0.set(mine);
            rounds.sync();
            let other = rounds.arrays().1[rank ^ distance];
            let keeps_smaller = (rank & size == 0) == (rank & distance == 0);
            mine = if keeps_smaller { mine.min(other) } else { mine.max(other) };
            distance /= 2;
        }
        size *= 2;
    }
    y[&i] = mine;
}

#[warpweft::test]
fn bitonic_sort(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x = noise(2 * THREADS);
    let mut y = stream.zeros::<u32>(x.len())?;
    sort::launch(&stream, Grid::new(2, THREADS as u32), &stream.upload(&x)?, &mut y)?;
    let y = stream.download(&y)?;
    for (x, y) in x.chunks(THREADS).zip(y.chunks(THREADS)) {
        let mut x = x.to_vec();
        x.sort_unstable();
        assert_eq!(x, y);
    }
    Ok(())
}

/// Counts bytes in bins of the block, and adds them to those of the grid.
#[kernel]
fn histogram(x: &[u8], total: Atomics<u32>, shared: Shared<[Atomic<u32, Block>; 256]>) {
    let rank = thread::rank() as usize;
    let mut rounds = shared.rounds();
    if let Some(bin) = rounds.arrays().get(rank) {
        bin.store(0, Ordering::Relaxed);
    }
    rounds.sync();
    if let Some(&x) = x.get(thread::index().get()) {
        rounds.arrays()[x as usize].fetch_add(1, Ordering::Relaxed);
    }
    rounds.sync();
    if let Some(bin) = rounds.arrays().get(rank) {
        total[rank].fetch_add(bin.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[warpweft::test]
fn private_histogram(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x: Vec<u8> = noise(10_000).into_iter().map(|n| (n >> 3) as u8).collect();
    let mut bins = stream.zeros::<u32>(256)?;
    histogram::launch(&stream, Grid::new(20, 512), &stream.upload(&x)?, &mut bins)?;
    let mut want = vec![0; 256];
    x.iter().for_each(|&x| want[x as usize] += 1);
    assert_eq!(stream.download(&bins)?, want);
    Ok(())
}

/// Reverses a block of any size, through an array whose length the launch gives, behind one of fixed length.
#[kernel]
fn reverse(x: &[u16], mut y: DisjointSlice<u16>, shared: Shared<([u8; 3], [u16])>) {
    let i = thread::index();
    let mut phase = shared.phases();
    phase.arrays().1.set(x[&i]);
    let mut phase = phase.sync();
    let (_, tile) = phase.arrays();
    y[&i] = tile[tile.len() - 1 - i.get()];
}

#[warpweft::test]
fn length_given_by_the_launch(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    for len in [1_u16, 33, 300] {
        let x: Vec<u16> = (0..len).collect();
        let mut y = stream.zeros::<u16>(x.len())?;
        reverse::launch(&stream, Grid::new(1, u32::from(len)), &stream.upload(&x)?, &mut y, x.len())?;
        assert!(stream.download(&y)?.into_iter().eq((0..len).rev()));
    }
    Ok(())
}

/// A helper that takes a phase and gives the next.
#[device]
fn exchange<'b>(
    mut phase: Phase<'b, [u32; 64], Even>,
    value: u32,
    from: usize,
) -> (Phase<'b, [u32; 64], Even>, u32) {
    phase.arrays().set(value);
    let mut phase = phase.sync();
    let value = phase.arrays()[from];
    (phase.sync(), value)
}

/// Threads of one warp, and of different warps, that wait at different barriers, and some that have left.
#[kernel]
fn apart(mut y: DisjointSlice<u32>, shared: Shared<[u32; 64]>) {
    let i = thread::index();
    let rank = i.get();
    let phase = shared.phases();
    if rank % 8 == 7 {
        return;
    }
    let (phase, got) = if rank % 3 == 0 {
        exchange(phase, 100 + rank as u32, rank ^ 1)
    } else if rank < 40 {
        let (phase, got) = exchange(phase, 100 + rank as u32, rank ^ 1);
        (phase, got + 1000)
    } else {
        let mut phase = phase;
        phase.arrays().set(100 + rank as u32);
        let mut phase = phase.sync();
        let got = phase.arrays()[rank ^ 1];
        (phase.sync(), got + 2000)
    };
    let (_, again) = exchange(phase, got, rank);
    y[&i] = again;
}

#[warpweft::test]
fn barriers_pair_by_count_within_a_warp(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut y = stream.zeros::<u32>(64)?;
    apart::launch(&stream, Grid::new(1, 64), &mut y)?;
    let y = stream.download(&y)?;
    for (rank, &y) in y.iter().enumerate() {
        let partner_left = rank ^ 1 == (rank | 7) && rank % 8 == 6;
        if rank % 8 == 7 {
            assert_eq!(y, 0);
        } else if !partner_left {
            let way = if rank % 3 == 0 {
                0
            } else if rank < 40 {
                1000
            } else {
                2000
            };
            assert_eq!(y, way + 100 + (rank as u32 ^ 1), "thread {rank}");
        }
    }
    Ok(())
}

/// One thread panics between two barriers: the others pass.
#[kernel]
fn one_panics(mut y: DisjointSlice<u32>, shared: Shared<[u32; 64]>) {
    let i = thread::index();
    let mut phase = shared.phases();
    phase.arrays().set(i.get() as u32);
    let mut phase = phase.sync();
    let tile = phase.arrays();
    assert!(tile[i.get()] != 13, "thirteen");
    let value = tile[63 - i.get()];
    let _ = phase.sync();
    y[&i] = value + 1;
}

#[warpweft::test]
fn a_panic_does_not_hold_up_the_block(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut y = stream.zeros::<u32>(64)?;
    one_panics::launch(&stream, Grid::new(1, 64), &mut y)?;
    let error = stream.synchronize().expect_err("a thread panicked").to_string();
    assert!(error.contains("thirteen") && error.contains("phases.rs"), "{error}");
    Ok(())
}

// The layout is a type like any other.
#[allow(dead_code)]
fn layouts_have_names(shared: Shared<Tiles>) -> Phase<'_, Tiles, Even> {
    shared.phases()
}
