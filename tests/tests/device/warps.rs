//! Shuffles and votes of whole warps.

use warpweft::Result;
use warpweft::device::warp::Shuffle;
use warpweft::prelude::*;

use crate::noise;

/// Every kind of shuffle, over the warp and over segments of 8 lanes.
#[device]
fn every_shuffle<T: Shuffle>(x: T, out: &mut [T; 8]) {
    let lane = thread::lane();
    // SAFETY: the block is whole warps (1), and every lane executes this (2).
    out[0] = unsafe { warp::shuffle(warp::ALL, x, lane * 7 + 3) };
    // SAFETY: as above.
    out[1] = unsafe { warp::shuffle_up(warp::ALL, x, 5) };
    // SAFETY: as above.
    out[2] = unsafe { warp::shuffle_down(warp::ALL, x, 5) };
    // SAFETY: as above.
    out[3] = unsafe { warp::shuffle_xor(warp::ALL, x, 21) };
    // SAFETY: as above.
    out[4] = unsafe { warp::shuffle_in::<8, _>(warp::ALL, x, lane * 3 + 1) };
    // SAFETY: as above.
    out[5] = unsafe { warp::shuffle_up_in::<8, _>(warp::ALL, x, 3) };
    // SAFETY: as above.
    out[6] = unsafe { warp::shuffle_down_in::<8, _>(warp::ALL, x, 3) };
    // SAFETY: as above.
    out[7] = unsafe { warp::shuffle_xor_in::<8, _>(warp::ALL, x, 5) };
}

/// The lanes from which lane `lane` gets its eight values.
fn sources(lane: usize) -> [usize; 8] {
    let segment = lane / 8 * 8;
    let within = |source: Option<usize>, first: usize, end: usize| match source {
        Some(source) if (first..end).contains(&source) => source,
        _ => lane,
    };
    [
        (lane * 7 + 3) % 32,
        within(lane.checked_sub(5), 0, 32),
        within(Some(lane + 5), 0, 32),
        lane ^ 21,
        segment + (lane * 3 + 1) % 8,
        within(lane.checked_sub(3), segment, segment + 8),
        within(Some(lane + 3), segment, segment + 8),
        lane ^ 5,
    ]
}

#[kernel]
fn of_u32(x: &[u32], mut out: DisjointSlice<[u32; 8]>) {
    every_shuffle(x[&thread::index()], &mut out[&thread::index()]);
}

#[kernel]
fn of_i64(x: &[i64], mut out: DisjointSlice<[i64; 8]>) {
    every_shuffle(x[&thread::index()], &mut out[&thread::index()]);
}

#[kernel]
fn of_f32(x: &[f32], mut out: DisjointSlice<[f32; 8]>) {
    every_shuffle(x[&thread::index()], &mut out[&thread::index()]);
}

#[kernel]
fn of_f64(x: &[f64], mut out: DisjointSlice<[f64; 8]>) {
    every_shuffle(x[&thread::index()], &mut out[&thread::index()]);
}

macro_rules! every_shuffle {
    ($($name:ident: $kernel:ident, $t:ty, $make:expr;)*) => { $(
        #[warpweft::test]
        fn $name(device: &Device) -> Result<()> {
            let stream = device.stream()?;
            let x: Vec<$t> = noise(128).into_iter().map($make).collect();
            let mut out = stream.zeros::<[$t; 8]>(128)?;
            $kernel::launch(&stream, Grid::new(2, 64), &stream.upload(&x)?, &mut out)?;
            for (i, got) in stream.download(&out)?.into_iter().enumerate() {
                assert_eq!(got, sources(i % 32).map(|source| x[i / 32 * 32 + source]), "thread {i}");
            }
            Ok(())
        }
    )* };
}

every_shuffle! {
    shuffles_of_u32: of_u32, u32, |n| n;
    shuffles_of_i64: of_i64, i64, |n| -(i64::from(n) << 30);
    shuffles_of_f32: of_f32, f32, |n| n as f32 / 3.0;
    shuffles_of_f64: of_f64, f64, |n| f64::from(n) / 3.0;
}

/// The votes, and the lane numbers.
#[kernel]
fn votes(x: &[u32], mut out: DisjointSlice<[u32; 5]>) {
    let odd = x[&thread::index()] % 2 == 1;
    // SAFETY: the block is whole warps (1), and every lane executes this (2).
    let ballot = unsafe { warp::ballot(warp::ALL, odd) };
    // SAFETY: as above.
    let all = unsafe { warp::all(warp::ALL, odd) };
    // SAFETY: as above.
    let any = unsafe { warp::any(warp::ALL, odd) };
    // SAFETY: as above.
    unsafe { warp::sync(warp::ALL) };
    out[&thread::index()] = [ballot, all as u32, any as u32, thread::lane(), thread::warp()];
}

#[warpweft::test]
fn votes_of_warps(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut x = noise(96);
    x[..32].fill(3);
    x[32..64].fill(4);
    let mut out = stream.zeros::<[u32; 5]>(96)?;
    votes::launch(&stream, Grid::new(1, 96), &stream.upload(&x)?, &mut out)?;
    for (i, got) in stream.download(&out)?.into_iter().enumerate() {
        let warp = &x[i / 32 * 32..][..32];
        let ballot = warp.iter().rev().fold(0, |mask, x| mask << 1 | x % 2);
        let want = [ballot, (ballot == !0) as u32, (ballot != 0) as u32, i as u32 % 32, i as u32 / 32];
        assert_eq!(got, want, "thread {i}");
    }
    Ok(())
}
