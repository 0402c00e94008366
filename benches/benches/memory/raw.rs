//! The raw forms: `unsafe` accesses, bounds-checked, and bare barriers. They tell the compiler the size of the block as
//! the safe forms do.

use warpweft::device::atomic::Block;
use warpweft::device::barrier::sync_threads;
use warpweft::prelude::*;

use super::{BINS, HISTOGRAM_WORDS, MATMUL_TILE, RADIUS, THREADS, TRANSPOSE_TILE};

/// Writes the sum of every [`THREADS`] elements, by halves.
#[kernel]
pub fn reduce(x: &[u32], sums: RawSlice<u32>, shared: Shared<[u32; THREADS]>) {
    let rank = thread::rank() as usize;
    if rank >= THREADS {
        return;
    }
    let mut sum = x[&thread::index()];
    let tile = shared.raw();
    // SAFETY: each thread writes its own element.
    unsafe { tile.store(rank, sum) };
    let mut half = THREADS / 2;
    while half > 0 {
        // SAFETY: every thread takes all turns.
        unsafe { sync_threads() };
        if rank < half {
            // SAFETY: in this turn only elements below `half` are written.
            sum = sum.wrapping_add(unsafe { tile.load(rank + half) });
            // SAFETY: in this turn only elements of `half` and more are read, and each thread writes its own.
            unsafe { tile.store(rank, sum) };
        }
        half /= 2;
    }
    if rank == 0 {
        // SAFETY: one thread of each block writes the block's element.
        unsafe { sums.store(thread::block_idx()[0] as usize, sum) };
    }
}

/// Multiplies square matrices of `n` rows, a multiple of [`MATMUL_TILE`].
#[kernel]
pub fn matmul(
    n: usize,
    a: &[f32],
    b: &[f32],
    c: RawSlice<f32>,
    shared: Shared<(Tile<f32, MATMUL_TILE, MATMUL_TILE>, Tile<f32, MATMUL_TILE, MATMUL_TILE>)>,
) {
    let place = thread::index_2d();
    let [x, y, z] = thread::idx().map(|i| i as usize);
    if x >= MATMUL_TILE || y >= MATMUL_TILE || z > 0 {
        return;
    }
    let (tile_a, tile_b) = shared.raw();
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        let (from_a, from_b) = (a[place.row() * n + first + x], b[(first + y) * n + place.column()]);
        // SAFETY: each thread writes its own element, which nobody reads between these two barriers.
        unsafe { tile_a.store(y, x, from_a) };
        // SAFETY: as above.
        unsafe { tile_b.store(y, x, from_b) };
        // SAFETY: every thread takes all turns.
        unsafe { sync_threads() };
        for k in 0..MATMUL_TILE {
            // SAFETY: nobody writes between the two barriers.
            let (a, b) = (unsafe { tile_a.load(y, k) }, unsafe { tile_b.load(k, x) });
            sum += a * b;
        }
        // SAFETY: every thread takes all turns.
        unsafe { sync_threads() };
        first += MATMUL_TILE;
    }
    if place.row() < n && place.column() < n {
        // SAFETY: each thread writes its own element.
        unsafe { c.store(place.row() * n + place.column(), sum) };
    }
}

/// Transposes a matrix of `rows` and `columns` through a tile with a column more than it needs, which spreads its
/// columns over all banks.
#[kernel]
pub fn transpose(
    rows: usize,
    columns: usize,
    x: &[u32],
    y: RawSlice<u32>,
    shared: Shared<Tile<u32, TRANSPOSE_TILE, { TRANSPOSE_TILE + 1 }>>,
) {
    let [tx, ty, tz] = thread::idx().map(|i| i as usize);
    if tx >= TRANSPOSE_TILE || ty >= TRANSPOSE_TILE || tz > 0 {
        return;
    }
    let [bx, by, _] = thread::block_idx().map(|i| i as usize);
    let (row, column) = (bx * TRANSPOSE_TILE + ty, by * TRANSPOSE_TILE + tx);
    let tile = shared.raw();
    if row < rows && column < columns {
        // SAFETY: each thread writes its own element.
        unsafe { tile.store(ty, tx, x[row * columns + column]) };
    }
    // SAFETY: every thread comes here.
    unsafe { sync_threads() };
    let (row, column) = (by * TRANSPOSE_TILE + ty, bx * TRANSPOSE_TILE + tx);
    if row < columns && column < rows {
        // SAFETY: behind the barrier nobody writes to the tile.
        let element = unsafe { tile.load(tx, ty) };
        // SAFETY: each thread writes its own element.
        unsafe { y.store(row * rows + column, element) };
    }
}

/// Adds up each element and its neighbours up to [`RADIUS`] places away, through a tile with a halo.
#[kernel]
pub fn stencil(x: &[u32], y: RawSlice<u32>, shared: Shared<[u32; THREADS + 2 * RADIUS]>) {
    let rank = thread::rank() as usize;
    if rank >= THREADS {
        return;
    }
    let first = thread::block_idx()[0] as usize * THREADS;
    let tile = shared.raw();
    let mut k = rank;
    while k < THREADS + 2 * RADIUS {
        // Before the first element the position wraps to one behind the last.
        let element = x.get((first + k).wrapping_sub(RADIUS)).copied().unwrap_or(0);
        // SAFETY: each thread writes the elements of its rank modulo the block's size.
        unsafe { tile.store(k, element) };
        k += THREADS;
    }
    // SAFETY: every thread comes here.
    unsafe { sync_threads() };
    if first + rank < y.len() {
        let mut sum = 0_u32;
        for k in 0..2 * RADIUS + 1 {
            // SAFETY: behind the barrier nobody writes to the tile.
            sum = sum.wrapping_add(unsafe { tile.load(rank + k) });
        }
        // SAFETY: each thread writes its own element.
        unsafe { y.store(first + rank, sum) };
    }
}

/// Writes the inclusive scan of every [`THREADS`] elements.
#[kernel]
pub fn scan(x: &[u32], y: RawSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    if rank >= THREADS {
        return;
    }
    let mut sum = x[&i];
    let (mut write, mut read) = shared.raw();
    let mut distance = 1;
    while distance < THREADS {
        // SAFETY: each thread writes its own element, of the copy that was read before the last barrier.
        unsafe { write.store(rank, sum) };
        // SAFETY: every thread takes all turns.
        unsafe { sync_threads() };
        (write, read) = (read, write);
        if rank >= distance {
            // SAFETY: until the next barrier only the other copy is written.
            sum = sum.wrapping_add(unsafe { read.load(rank - distance) });
        }
        distance *= 2;
    }
    // SAFETY: each thread writes its own element.
    unsafe { y.store(i.get(), sum) };
}

/// Sorts every [`THREADS`] elements.
#[kernel]
pub fn sort(x: &[u32], y: RawSlice<u32>, shared: Shared<Double<[u32; THREADS]>>) {
    let (i, rank) = (thread::index(), thread::rank() as usize);
    if rank >= THREADS {
        return;
    }
    let mut mine = x[&i];
    let (mut write, mut read) = shared.raw();
    let mut size = 2;
    while size <= THREADS {
        let mut distance = size / 2;
        while distance > 0 {
            // SAFETY: each thread writes its own element, of the copy that was read before the last barrier.
            unsafe { write.store(rank, mine) };
            // SAFETY: every thread takes all turns.
            unsafe { sync_threads() };
            (write, read) = (read, write);
            // SAFETY: until the next barrier only the other copy is written.
            let other = unsafe { read.load(rank ^ distance) };
            let keeps_smaller = (rank & size == 0) == (rank & distance == 0);
            mine = if keeps_smaller { mine.min(other) } else { mine.max(other) };
            distance /= 2;
        }
        size *= 2;
    }
    // SAFETY: each thread writes its own element.
    unsafe { y.store(i.get(), mine) };
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
    let bins = shared.raw();
    bins[rank].store(0, Ordering::Relaxed);
    // SAFETY: every thread of the block comes here, or none.
    unsafe { sync_threads() };
    for words in words.chunks_exact(4 * THREADS) {
        // Four loads are on their way at a time.
        let four = [words[rank], words[rank + THREADS], words[rank + 2 * THREADS], words[rank + 3 * THREADS]];
        for word in four {
            for byte in word.to_le_bytes() {
                bins[byte as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    // SAFETY: as above.
    unsafe { sync_threads() };
    total[rank].fetch_add(bins[rank].load(Ordering::Relaxed), Ordering::Relaxed);
}
