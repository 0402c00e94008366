//! `y = a * x + y` over many elements: the smallest kernel that is of use.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use warpweft::prelude::*;
use warpweft_examples::{Common, all_equal, exit};

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = a * x[&i] + *y;
    }
}

/// Computes the same on the CPU.
fn reference(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = a * *x + *y;
    }
}

/// Adds a multiple of one vector to another.
#[derive(Parser)]
struct Options {
    /// Number of elements.
    #[arg(long, default_value_t = 1 << 24)]
    elements: usize,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

fn run(options: &Options) -> warpweft_examples::Result<()> {
    let device = options.common.device.open()?;
    let stream = device.stream()?;
    // Numbers whose products and sums are exact: with one rounding or two, the results are the same.
    let a = 2.5;
    let x: Vec<f32> = (0..options.elements).map(|i| (i % 1000) as f32).collect();
    let mut expected: Vec<f32> = (0..options.elements).map(|i| (i % 77) as f32).collect();

    let x_there = stream.upload(&x)?;
    let mut y_there = stream.upload(&expected)?;
    let started = Instant::now();
    saxpy::launch(&stream, Grid::cover(options.elements), a, &x_there, &mut y_there)?;
    stream.synchronize()?;
    let time = started.elapsed();
    let y = stream.download(&y_there)?;

    let gigabytes = 12e-9 * options.elements as f64;
    println!(
        "saxpy of {} elements on {}: {:.3} ms, {:.1} GB/s, first launch included",
        options.elements,
        device.name(),
        1e3 * time.as_secs_f64(),
        gigabytes / time.as_secs_f64()
    );
    if options.common.verify {
        reference(a, &x, &mut expected);
        all_equal("saxpy", &y, &expected)?;
    }
    Ok(())
}
