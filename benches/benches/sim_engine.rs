//! What the simulator's engine costs: launches, blocks, barriers, and two kernels, against bare coroutines and rayon.
//!
//! Times on a shared machine wander: compare the ratios, which come from measurements in turns.

use std::hint::black_box;
use std::time::Instant;

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult};
use rayon::prelude::*;
use warpweft::device::barrier::sync_threads;
use warpweft::device::shared::{Shared, Tile};
use warpweft::prelude::*;
use warpweft_benches::{Record, Result, in_turns};

/// Threads of a block.
const THREADS: usize = 256;
/// Elements of saxpy.
const ELEMENTS: usize = 10_000_000;
/// Rows and columns of a tile.
#[device]
const TILE: usize = 16;
/// Rows and columns of a matrix.
const SIDE: usize = 64;

#[kernel]
fn nothing() {}

#[kernel]
fn barriers(rounds: u32) {
    for _ in 0..rounds {
        // SAFETY: every thread does the same number of rounds.
        unsafe { sync_threads() };
    }
}

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = a * x[&i] + *y;
    }
}

#[kernel]
fn matmul(
    a: &[f32],
    b: &[f32],
    side: usize,
    mut out: DisjointGrid<f32>,
    shared: Shared<(Tile<f32, TILE, TILE>, Tile<f32, TILE, TILE>)>,
) {
    let place = thread::index_2d();
    let (row, column) = (place.row(), place.column());
    let [x, y, _] = thread::idx().map(|position| position as usize);
    let mut sum = 0.0;
    let mut phase = shared.phases();
    for first in (0..side).step_by(TILE) {
        let (mut tile_a, mut tile_b) = phase.arrays();
        tile_a.set(a[row * side + first + x]);
        tile_b.set(b[(first + y) * side + column]);
        let mut filled = phase.sync();
        let (tile_a, tile_b) = filled.arrays();
        for k in 0..TILE {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        phase = filled.sync();
    }
    if let Some(out) = out.get_mut(&place) {
        *out = sum;
    }
}

/// A stack that shares no cache set with its neighbours, as the engine's.
struct Coloured(DefaultStack, usize);

// SAFETY: lies within the inner stack, which has a guard page; the shift is a multiple of 64.
unsafe impl Stack for Coloured {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.0.base().get() - self.1).expect("not at address 0")
    }

    fn limit(&self) -> StackPointer {
        self.0.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.0.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.0.update_teb_fields(stack_limit, guaranteed_stack_bytes)
    }
}

type Bare = Coroutine<bool, (), (), Coloured>;

/// As many bare coroutines as a block has threads; they end when resumed with `false`.
fn bare_coroutines() -> Result<Vec<Bare>> {
    let one = |i: usize| {
        let stack = Coloured(DefaultStack::new(256 << 10)?, i * 320 % 4096);
        Ok(Coroutine::with_stack(stack, |yielder, mut more| {
            while more {
                more = yielder.suspend(());
            }
        }))
    };
    (0..THREADS).map(one).collect()
}

fn time_ms(f: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    f()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn main() -> Result<()> {
    let device = Device::sim();
    let stream = device.stream()?;
    let block = |blocks: u32| Grid::new(blocks, THREADS as u32);

    // Barriers against bare switches.
    const ROUNDS: u32 = 500;
    let mut coroutines = bare_coroutines()?;
    let mut switches = || {
        time_ms(|| {
            for _ in 0..ROUNDS {
                coroutines.iter_mut().for_each(|coroutine| {
                    coroutine.resume(true);
                });
            }
            Ok(())
        })
    };
    let launch = |rounds| time_ms(|| Ok(barriers::launch(&stream, block(1), black_box(rounds))?));
    let times = in_turns(3, 41, &mut [&mut switches, &mut || launch(ROUNDS), &mut || launch(1)])?;
    for mut coroutine in coroutines {
        assert!(matches!(coroutine.resume(false), CoroutineResult::Return(())));
    }
    let per_switch = 1e6 / (f64::from(ROUNDS) * THREADS as f64);
    let pair_ns = times[0].median_ms() * per_switch;
    let barrier_ns = (times[1].median_ms() - times[2].median_ms()) * per_switch * f64::from(ROUNDS)
        / f64::from(ROUNDS - 1);

    // Launches and blocks, on the calling thread.
    let small = |blocks, rounds: Option<u32>| {
        time_ms(|| {
            Ok(match rounds {
                Some(rounds) => barriers::launch(&stream, block(blocks), black_box(rounds))?,
                None => nothing::launch(&stream, block(blocks))?,
            })
        })
    };
    let few = 4;
    let times = in_turns(
        20,
        501,
        &mut [
            &mut || time_ms(|| Ok(nothing::launch(&stream, Grid::new(1, 32))?)),
            &mut || small(1, None),
            &mut || small(few, None),
            &mut || small(1, Some(1)),
            &mut || small(few, Some(1)),
        ],
    )?;
    let per_block = |one: usize, more: usize| {
        (times[more].median_ms() - times[one].median_ms()) * 1e3 / f64::from(few - 1)
    };

    // Kernels.
    let x: Vec<f32> = (0..ELEMENTS).map(|i| (i % 1021) as f32).collect();
    let x_there = stream.upload(&x)?;
    let mut y_there = stream.zeros::<f32>(ELEMENTS)?;
    let mut y = vec![0.0_f32; ELEMENTS];
    let a = black_box(0.5_f32);
    let saxpy_times = in_turns(
        2,
        21,
        &mut [
            &mut || time_ms(|| Ok(saxpy::launch(&stream, Grid::cover(ELEMENTS), a, &x_there, &mut y_there)?)),
            &mut || {
                time_ms(|| {
                    y.par_iter_mut().zip(&x).with_min_len(1 << 14).for_each(|(y, x)| *y = a * x + *y);
                    Ok(())
                })
            },
        ],
    )?;
    assert_eq!(stream.download(&y_there)?, y);

    let factors: Vec<f32> = (0..SIDE * SIDE).map(|i| (i % 17) as f32).collect();
    let factors_there = stream.upload(&factors)?;
    let mut product = stream.zeros::<f32>(SIDE * SIDE)?;
    let grid = Grid::cover_2d(SIDE, SIDE).with_threads((TILE as u32, TILE as u32));
    let matmul_times = in_turns(
        3,
        101,
        &mut [&mut || {
            time_ms(|| {
                let out = product.grid_mut(SIDE, SIDE)?;
                Ok(matmul::launch(&stream, grid, &factors_there, &factors_there, SIDE, out)?)
            })
        }],
    )?;
    let product = stream.download(&product)?;
    let element = |row: usize, column: usize| {
        (0..SIDE).map(|k| factors[row * SIDE + k] * factors[k * SIDE + column]).sum::<f32>()
    };
    assert!((0..SIDE * SIDE).all(|i| product[i] == element(i / SIDE, i % SIDE)), "the product is wrong");

    let (sim_ms, rayon_ms) = (saxpy_times[0].median_ms(), saxpy_times[1].median_ms());
    Record::new("sim_engine")
        .with("cores", rayon::current_num_threads())
        .with("bare_switch_pair_ns", pair_ns)
        .with("barrier_ns_per_thread", barrier_ns)
        .with("barrier_over_bare_pair", barrier_ns / pair_ns)
        .with("launch_one_block_of_32_us", times[0].median_ms() * 1e3)
        .with("launch_one_block_of_256_us", times[1].median_ms() * 1e3)
        .with("launch_one_block_of_256_with_barrier_us", times[3].median_ms() * 1e3)
        .with("further_block_of_256_us", per_block(1, 2))
        .with("further_block_of_256_with_barrier_us", per_block(3, 4))
        .with("saxpy_1e7_ms", sim_ms)
        .with("saxpy_1e7_rayon_ms", rayon_ms)
        .with("saxpy_1e7_over_rayon", sim_ms / rayon_ms)
        .with("matmul_64_ms", matmul_times[0].median_ms())
        .save()
}
