//! Atomic operations: each against its definition, and in competition.

use warpweft::Result;
use warpweft::device::atomic::AtomicInteger;
use warpweft::prelude::*;

/// Applies every operation to a cell of its own that holds `a`, and keeps what it returned.
#[device]
fn every_operation<T: AtomicInteger>(cells: Atomics<T>, b: T, returned: &mut [T]) {
    let order = Ordering::SeqCst;
    let first = thread::index().get() * 8;
    // One by one: device code calls nothing through pointers, and so has no array of functions.
    let values = [
        cells[first].fetch_add(b, order),
        cells[first + 1].fetch_sub(b, order),
        cells[first + 2].fetch_min(b, order),
        cells[first + 3].fetch_max(b, order),
        cells[first + 4].fetch_and(b, order),
        cells[first + 5].fetch_or(b, order),
        cells[first + 6].fetch_xor(b, order),
        cells[first + 7].swap(b, order),
    ];
    for (returned, value) in returned.iter_mut().zip(values) {
        *returned = value;
    }
}

#[kernel]
fn on_i32(cells: Atomics<i32>, b: &[i32], mut returned: DisjointChunks<i32, 8>) {
    every_operation(cells, b[&thread::index()], returned.get_mut(&thread::index()));
}

#[kernel]
fn on_u32(cells: Atomics<u32>, b: &[u32], mut returned: DisjointChunks<u32, 8>) {
    every_operation(cells, b[&thread::index()], returned.get_mut(&thread::index()));
}

#[kernel]
fn on_i64(cells: Atomics<i64>, b: &[i64], mut returned: DisjointChunks<i64, 8>) {
    every_operation(cells, b[&thread::index()], returned.get_mut(&thread::index()));
}

#[kernel]
fn on_u64(cells: Atomics<u64>, b: &[u64], mut returned: DisjointChunks<u64, 8>) {
    every_operation(cells, b[&thread::index()], returned.get_mut(&thread::index()));
}

macro_rules! every_operation {
    ($($name:ident: $kernel:ident, $t:ty;)*) => { $(
        #[warpweft::test]
        fn $name(device: &Device) -> Result<()> {
            let stream = device.stream()?;
            let samples: [$t; 7] = [0, 1, 2, 77, <$t>::MAX, <$t>::MIN, <$t>::MAX / 3];
            let pairs: Vec<($t, $t)> = samples.iter().flat_map(|&a| samples.map(|b| (a, b))).collect();
            let starts: Vec<$t> = pairs.iter().flat_map(|&(a, _)| [a; 8]).collect();
            let b: Vec<$t> = pairs.iter().map(|&(_, b)| b).collect();
            let mut cells = stream.upload(&starts)?;
            let mut returned = stream.zeros::<$t>(starts.len())?;
            $kernel::launch(&stream, Grid::new(1, b.len() as u32), &mut cells, &stream.upload(&b)?, &mut returned)?;
            assert_eq!(stream.download(&returned)?, starts);
            let want: Vec<$t> = pairs
                .iter()
                .flat_map(|&(a, b)| {
                    [a.wrapping_add(b), a.wrapping_sub(b), a.min(b), a.max(b), a & b, a | b, a ^ b, b]
                })
                .collect();
            assert_eq!(stream.download(&cells)?, want);
            Ok(())
        }
    )* };
}

every_operation! {
    operations_on_i32: on_i32, i32;
    operations_on_u32: on_u32, u32;
    operations_on_i64: on_i64, i64;
    operations_on_u64: on_u64, u64;
}

/// All threads at the same few cells.
#[kernel]
fn compete(
    counts: Atomics<u64>,
    single: Atomics<f32>,
    double: Atomics<f64>,
    mut tickets: DisjointSlice<u32>,
) {
    let i = thread::index();
    tickets[&i] = counts[0].fetch_add(1, Ordering::Relaxed) as u32;
    counts[1].fetch_max(i.get() as u64, Ordering::AcqRel);
    counts[2].system().fetch_add(2, Ordering::Relaxed);
    single[0].fetch_add(0.5, Ordering::Relaxed);
    double[0].fetch_sub(0.25, Ordering::SeqCst);
    // An addition made of compare-exchange.
    let mut old = counts[3].load(Ordering::Relaxed);
    while let Err(now) = counts[3].compare_exchange(old, old + 3, Ordering::Relaxed, Ordering::Relaxed) {
        old = now;
    }
}

#[warpweft::test]
fn no_update_is_lost(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let n = 64 * 128;
    let (mut counts, mut tickets) = (stream.zeros::<u64>(4)?, stream.zeros::<u32>(n)?);
    let (mut single, mut double) = (stream.zeros::<f32>(1)?, stream.zeros::<f64>(1)?);
    compete::launch(&stream, Grid::new(64, 128), &mut counts, &mut single, &mut double, &mut tickets)?;
    let n64 = n as u64;
    assert_eq!(stream.download(&counts)?, [n64, n64 - 1, 2 * n64, 3 * n64]);
    assert_eq!(stream.download(&single)?, [n as f32 * 0.5]);
    assert_eq!(stream.download(&double)?, [n as f64 * -0.25]);
    let mut tickets = stream.download(&tickets)?;
    tickets.sort_unstable();
    assert!(tickets.into_iter().eq(0..n as u32));
    Ok(())
}

/// Compares and exchanges floats by their bits.
#[kernel]
fn float_bits(cells: Atomics<f32>, mut written: DisjointSlice<u32>) {
    let i = thread::index();
    let current = if i.get() == 0 { f32::NAN } else { 0.0 };
    let result = cells[&i].compare_exchange(current, 2.0, Ordering::AcqRel, Ordering::Acquire);
    written[&i] = result.is_ok() as u32;
}

#[warpweft::test]
fn floats_compare_by_bits(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut cells = stream.upload(&[f32::NAN, 0.0, -0.0])?;
    let mut written = stream.zeros::<u32>(3)?;
    float_bits::launch(&stream, Grid::new(1, 3), &mut cells, &mut written)?;
    assert_eq!(stream.download(&written)?, [1, 1, 0]);
    assert_eq!(stream.download(&cells)?.map_bits(), [2.0, 2.0, -0.0].map(f32::to_bits));
    Ok(())
}

trait MapBits {
    fn map_bits(&self) -> Vec<u32>;
}

impl MapBits for Vec<f32> {
    fn map_bits(&self) -> Vec<u32> {
        self.iter().map(|x| x.to_bits()).collect()
    }
}
