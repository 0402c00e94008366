//! Photo filters: grey, Gaussian blur with tiles in shared memory, Sobel edges.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use warpweft::prelude::*;
use warpweft_examples::{Common, all_close, exit, read_rgba, write_png};

/// How far the blur reaches, in pixels.
const RADIUS: usize = 4;
/// Weights of the pixels on either side.
const TAPS: usize = 2 * RADIUS + 1;
/// Width and height of the part of the picture that one block blurs; it has a thread for each pixel.
const TILE: usize = 16;
/// Width and height of what it must read for that: the tile and the halo around it.
const SPAN: usize = TILE + 2 * RADIUS;

//KERNEL

/// Runs photo filters on a picture.
#[derive(Parser)]
struct Options {
    /// The picture, PNG or JPEG.
    picture: PathBuf,
    /// Directory of the results.
    #[arg(long, default_value = "photo")]
    out: PathBuf,
    /// Width of the blur's bell curve, in pixels.
    #[arg(long, default_value_t = 1.6)]
    sigma: f32,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

/// The three results, one value from 0 to 255 per pixel.
#[derive(Default)]
struct Filtered {
    grey: Vec<f32>,
    blurred: Vec<f32>,
    edges: Vec<f32>,
}

fn run(options: &Options) -> warpweft_examples::Result<()> {
    let (width, height, pixels) = read_rgba(&options.picture)?;
    let weights = bell(options.sigma);
    let device = options.common.device.open()?;
    let stream = device.stream()?;
    // The first launch loads the module: it is shown apart.
    let (_, first) = filter(&stream, width, height, &pixels, weights)?;
    let (results, time) = filter(&stream, width, height, &pixels, weights)?;
    let megapixels = 1e-6 * f64::from(width) * f64::from(height);
    println!(
        "photo of {width} x {height} pixels on {device}: {:.3} ms, {:.1} megapixels/s (the first run: {:.3} ms)",
        1e3 * time.as_secs_f64(),
        megapixels / time.as_secs_f64(),
        1e3 * first.as_secs_f64()
    );
    if options.common.verify {
        let expected = reference(width as usize, height as usize, &pixels, weights);
        // One grey level: what rounding may do, since the GPU contracts a * b + c.
        all_close("grey", &levels(&results.grey), &levels(&expected.grey), 1.0)?;
        all_close("blur", &levels(&results.blurred), &levels(&expected.blurred), 1.0)?;
        all_close("edges", &levels(&results.edges), &levels(&expected.edges), 1.0)?;
    }
    let write = |name: &str, values: &[f32]| -> warpweft_examples::Result<()> {
        let bytes: Vec<u8> = values.iter().map(|&value| level(value)).collect();
        let path = name_beside(&options.out, &options.picture, name);
        write_png(&path, width, height, &bytes)?;
        println!("wrote {}", path.display());
        Ok(())
    };
    write("grey", &results.grey)?;
    write("blur", &results.blurred)?;
    write("edges", &results.edges)
}

/// Names a result after the picture.
fn name_beside(out: &Path, picture: &Path, filter: &str) -> PathBuf {
    let stem = picture.file_stem().unwrap_or_default().to_string_lossy();
    out.join(format!("{stem}-{filter}.png"))
}

/// Rounds a value to a grey level.
fn level(value: f32) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

fn levels(values: &[f32]) -> Vec<f32> {
    values.iter().map(|&value| f32::from(level(value))).collect()
}

/// Computes the weights of the blur, which add up to 1.
fn bell(sigma: f32) -> [f32; TAPS] {
    let sigma = sigma.abs().max(1e-3);
    let weight = |i: usize| (-0.5 * ((i as f32 - RADIUS as f32) / sigma).powi(2)).exp();
    let sum: f32 = (0..TAPS).map(weight).sum();
    std::array::from_fn(|i| weight(i) / sum)
}

//FILTER

/// Computes the same on the CPU.
fn reference(width: usize, height: usize, pixels: &[u32], weights: [f32; TAPS]) -> Filtered {
    let grey: Vec<f32> = pixels
        .iter()
        .map(|pixel| {
            let [red, green, blue, _] = pixel.to_le_bytes().map(f32::from);
            0.299 * red + 0.587 * green + 0.114 * blue
        })
        .collect();
    let at = |values: &[f32], x: isize, y: isize| {
        let x = x.clamp(0, width as isize - 1) as usize;
        values[y.clamp(0, height as isize - 1) as usize * width + x]
    };
    let places = || (0..height as isize).flat_map(|y| (0..width as isize).map(move |x| (x, y)));
    let taps = || (-(RADIUS as isize)..).zip(weights);
    let rows: Vec<f32> = places().map(|(x, y)| taps().map(|(d, w)| w * at(&grey, x + d, y)).sum()).collect();
    let blurred: Vec<f32> = places().map(|(x, y)| taps().map(|(d, w)| w * at(&rows, x, y + d)).sum()).collect();
    let edges = places().map(|(x, y)| {
        let near = |dx, dy| at(&blurred, x + dx, y + dy);
        let across = near(1, -1) + 2.0 * near(1, 0) + near(1, 1) - near(-1, -1) - 2.0 * near(-1, 0) - near(-1, 1);
        let down = near(-1, 1) + 2.0 * near(0, 1) + near(1, 1) - near(-1, -1) - 2.0 * near(0, -1) - near(1, -1);
        (across * across + down * down).sqrt().min(255.0)
    });
    let edges = edges.collect();
    Filtered { grey, blurred, edges }
}
