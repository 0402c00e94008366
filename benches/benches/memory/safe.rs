//! The safe forms. Each begins by sending home the threads that a block of the right size does not have: so the compiler
//! learns the size of the block, and sees that indices into shared memory are inside.

use warpweft::device::atomic::Block;
use warpweft::prelude::*;

use super::{BINS, HISTOGRAM_WORDS, MATMUL_TILE, RADIUS, THREADS, TRANSPOSE_TILE};

/// Writes the sum of every [`THREADS`] elements, by halves.
#[kernel]
pub fn reduce(x: &[u32], sums: Atomics<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let rank = thread::rank() as usize;
    if rank >= THREADS {
        return;
    }
    let mut sum = x[&thread::index()];
    let mut rounds = shared.rounds();
    rounds.arrays().0.set(sum);
    let mut half = THREADS / 2;
    while half > 0 {
        rounds.sync();
        if rank < half {
            let (mut write, read) = rounds.arrays();
            sum = sum.wrapping_add(read[rank + half]);
            write.set(sum);
        }
        half /= 2;
    }
    if rank == 0 {
        sums[thread::block_idx()[0] as usize].store(sum, Ordering::Relaxed);
    }
}

/// Multiplies square matrices of `n` rows, a multiple of [`MATMUL_TILE`].
#[kernel]
pub fn matmul(
    n: usize,
    a: &[f32],
    b: &[f32],
    mut c: DisjointGrid<f32>,
    shared: Shared<(Tile<f32, MATMUL_TILE, MATMUL_TILE>, Tile<f32, MATMUL_TILE, MATMUL_TILE>)>,
) {
    let place = thread::index_2d();
    let [x, y, z] = thread::idx().map(|i| i as usize);
    if x >= MATMUL_TILE || y >= MATMUL_TILE || z > 0 {
        return;
    }
    let mut sum = 0.0;
    let mut phase = shared.phases();
    let mut first = 0;
    while first < n {
        let (from_a, from_b) = (a[place.row() * n + first + x], b[(first + y) * n + place.column()]);
        let (mut tile_a, mut tile_b) = phase.arrays();
        tile_a.set(from_a);
        tile_b.set(from_b);
        let mut filled = phase.sync();
        let (tile_a, tile_b) = filled.arrays();
        for k in 0..MATMUL_TILE {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        phase = filled.sync();
        first += MATMUL_TILE;
    }
    if let Some(c) = c.get_mut(&place) {
        *c = sum;
    }
}

/// Transposes a matrix through a tile with a column more than it needs, which spreads its columns over all banks.
#[kernel]
pub fn transpose(
    x: &[u32],
    mut y: DisjointGrid<u32>,
    shared: Shared<Tile<u32, TRANSPOSE_TILE, { TRANSPOSE_TILE + 1 }>>,
) {
    let (rows, columns) = (y.columns(), y.rows());
    let [tx, ty, tz] = thread::idx().map(|i| i as usize);
    if tx >= TRANSPOSE_TILE || ty >= TRANSPOSE_TILE || tz > 0 {
        return;
    }
    let [bx, by, _] = thread::block_idx().map(|i| i as usize);
    let (row, column) = (bx * TRANSPOSE_TILE + ty, by * TRANSPOSE_TILE + tx);
    let mut phase = shared.phases();
    if row < rows && column < columns {
        phase.arrays().set(x[row * columns + column]);
    }
    let mut phase = phase.sync();
    let tile = phase.arrays();
    if let Some(y) = y.get_mut(&thread::index_2d()) {
        *y = tile[tx][ty];
    }
}

/// Adds up each element and its neighbours up to [`RADIUS`] places away, through a tile with a halo.
#[kernel]
pub fn stencil(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<[u32; THREADS + 2 * RADIUS]>) {
    let rank = thread::rank() as usize;
    if rank >= THREADS {
        return;
    }
    let first = thread::block_idx()[0] as usize * THREADS;
    let mut phase = shared.phases();
    // Before the first element the position wraps to one behind the last.
    phase.arrays().set_each(|k| x.get((first + k).wrapping_sub(RADIUS)).copied().unwrap_or(0));
    let mut phase = phase.sync();
    let tile = phase.arrays();
    if let Some(y) = y.get_mut(&thread::index()) {
        let mut sum = 0_u32;
        for k in 0..2 * RADIUS + 1 {
            sum = sum.wrapping_add(tile[rank + k]);
        }
        *y = sum;
    }
}

/// Writes the inclusive scan of every [`THREADS`] elements.
#[kernel]
pub fn scan(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    if rank >= THREADS {
        return;
    }
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

/// Sorts every [`THREADS`] elements.
#[kernel]
pub fn sort(x: &[u32], mut y: DisjointSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    if rank >= THREADS {
        return;
    }
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

/// Counts the bytes of `x` in bins of the block, and adds those to the bins of the grid. The words of `x` are a multiple
/// of [`HISTOGRAM_WORDS`].
#[kernel]
pub fn histogram(x: &[u32], total: Atomics<u32>, shared: Shared<[Atomic<u32, Block>; BINS]>) {
    let rank = thread::rank() as usize;
    if rank >= THREADS {
        return;
    }
    let first = thread::block_idx()[0] as usize * HISTOGRAM_WORDS;
    let Some(words) = x.get(first..first + HISTOGRAM_WORDS) else { return };
    let mut rounds = shared.rounds();
    rounds.arrays()[rank].store(0, Ordering::Relaxed);
    rounds.sync();
    let bins = rounds.arrays();
    for words in words.chunks_exact(4 * THREADS) {
        // Four loads are on their way at a time.
        let four = [words[rank], words[rank + THREADS], words[rank + 2 * THREADS], words[rank + 3 * THREADS]];
        for word in four {
            for byte in word.to_le_bytes() {
                bins[byte as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    rounds.sync();
    let count = rounds.arrays()[rank].load(Ordering::Relaxed);
    total[rank].fetch_add(count, Ordering::Relaxed);
}
