//! Photo filters: grey, Gaussian blur with tiles in shared memory, Sobel edges.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpweft::prelude::*;
use warpweft_examples::{Common, Error, all_close, exit, output_directory, read_rgba, write_png};

/// The widest bell curve, in pixels; the weights of a wider one are as good as equal.
const MAX_SIGMA: f32 = 50.0;

/// How far the blur reaches, in pixels.
#[device]
const RADIUS: usize = 4;
/// Weights of the pixels on either side.
#[device]
const TAPS: usize = 2 * RADIUS + 1;
/// Width and height of the part of the picture that one block blurs; it has a thread for each pixel.
#[device]
const TILE: usize = 16;
/// Width and height of what it must read for that: the tile and the halo around it.
#[device]
const SPAN: usize = TILE + 2 * RADIUS;

/// What a block keeps in shared memory: the pixels of its span, written first, and then, written while the span is
/// read, its rows after the blur along x.
#[device]
type Tiles = (Tile<f32, SPAN, SPAN>, Later<Tile<f32, SPAN, TILE>>);

/// Computes the brightness of each pixel, 0 to 255.
#[kernel]
fn grey(pixels: &[u32], mut out: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        let [red, green, blue, _] = pixels[&i].to_le_bytes();
        *out = 0.299 * red as f32 + 0.587 * green as f32 + 0.114 * blue as f32;
    }
}

/// Blurs along x and then along y; beyond the picture's edge stands its nearest pixel.
#[kernel]
fn blur(source: &[f32], weights: [f32; TAPS], mut out: DisjointGrid<f32>, shared: Shared<Tiles>) {
    let (columns, rows) = (out.columns(), out.rows());
    let [x, y, _] = thread::idx().map(|position| position as usize);
    let [block_x, block_y, _] = thread::block_idx().map(|position| position as usize);

    // The threads of the block fetch the span together, each a part.
    let mut phase = shared.phases();
    for ((down, right), pixel) in phase.arrays().0.iter_mut() {
        let column = (block_x * TILE + right).saturating_sub(RADIUS).min(columns - 1);
        let row = (block_y * TILE + down).saturating_sub(RADIUS).min(rows - 1);
        *pixel = source[row * columns + column];
    }
    // A barrier: what was written can now be read, by all.
    let mut phase = phase.sync();
    let (span, mut blurred) = phase.arrays();
    for ((down, right), sum) in blurred.iter_mut() {
        *sum = (0..TAPS).map(|tap| weights[tap] * span[down][right + tap]).sum();
    }
    let mut phase = phase.sync();
    let (_, blurred) = phase.arrays();
    if let Some(out) = out.get_mut(&thread::index_2d()) {
        *out = (0..TAPS).map(|tap| weights[tap] * blurred[y + tap][x]).sum();
    }
}

/// Computes how steep the picture is at each pixel: the length of Sobel's gradient, at most 255.
#[kernel]
fn sobel(source: &[f32], mut out: DisjointGrid<f32>) {
    let i = thread::index_2d();
    let (columns, rows) = (out.columns(), out.rows());
    if let Some(out) = out.get_mut(&i) {
        let xs = [i.column().saturating_sub(1), i.column(), (i.column() + 1).min(columns - 1)];
        let ys = [i.row().saturating_sub(1), i.row(), (i.row() + 1).min(rows - 1)];
        let at = |x: usize, y: usize| source[ys[y] * columns + xs[x]];
        let across = at(2, 0) + 2.0 * at(2, 1) + at(2, 2) - at(0, 0) - 2.0 * at(0, 1) - at(0, 2);
        let down = at(0, 2) + 2.0 * at(1, 2) + at(2, 2) - at(0, 0) - 2.0 * at(1, 0) - at(2, 0);
        *out = (across * across + down * down).sqrt().min(255.0);
    }
}

/// Runs photo filters on a picture.
#[derive(Parser)]
struct Options {
    /// The picture, PNG or JPEG.
    picture: PathBuf,
    /// Directory of the results.
    #[arg(long, default_value = "photo")]
    out: PathBuf,
    /// Width of the blur's bell curve, in pixels: above 0, at most 50.
    #[arg(long, default_value_t = 1.6, allow_negative_numbers = true)]
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
    let weights = bell(checked_sigma(options.sigma)?);
    let (width, height, pixels) = read_rgba(&options.picture)?;
    output_directory(&options.out)?;
    let device = options.common.device.open()?;
    let stream = device.stream()?;
    // The first launch loads the module: it is shown apart.
    let (_, first_ms) = filter(&stream, width, height, &pixels, weights)?;
    let (results, ms) = filter(&stream, width, height, &pixels, weights)?;
    let megapixels = 1e-6 * f64::from(width) * f64::from(height);
    println!(
        "photo of {width} x {height} pixels on {}: {ms:.3} ms, {:.1} megapixels/s (the first run: {first_ms:.3} ms)",
        device.name(),
        1e3 * megapixels / f64::from(ms)
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

/// Refuses a width that is no width; NaN is none either.
fn checked_sigma(sigma: f32) -> warpweft_examples::Result<f32> {
    if sigma > 0.0 && sigma <= MAX_SIGMA {
        return Ok(sigma);
    }
    Err(Error::Range { option: "sigma", value: sigma, above: 0.0, limit: MAX_SIGMA })
}

/// Computes the weights of the blur, which add up to 1. `sigma` is greater than 0.
fn bell(sigma: f32) -> [f32; TAPS] {
    let weight = |i: usize| (-0.5 * ((i as f32 - RADIUS as f32) / sigma).powi(2)).exp();
    let sum: f32 = (0..TAPS).map(weight).sum();
    std::array::from_fn(|i| weight(i) / sum)
}

/// Runs the three filters; the time is that of the kernels alone.
fn filter(
    stream: &Stream,
    width: u32,
    height: u32,
    pixels: &[u32],
    weights: [f32; TAPS],
) -> warpweft::Result<(Filtered, f32)> {
    let (columns, rows) = (width as usize, height as usize);
    let pixels = stream.upload(pixels)?;
    let mut grey_there = stream.zeros::<f32>(pixels.len())?;
    let mut blurred = stream.zeros::<f32>(pixels.len())?;
    let mut edges = stream.zeros::<f32>(pixels.len())?;
    let tiles = Grid::cover_2d(columns, rows).with_threads((TILE as u32, TILE as u32));

    let start = stream.record()?;
    grey::launch(stream, Grid::cover(pixels.len()), &pixels, &mut grey_there)?;
    blur::launch(stream, tiles, &grey_there, weights, blurred.grid_mut(rows, columns)?)?;
    sobel::launch(stream, Grid::cover_2d(columns, rows), &blurred, edges.grid_mut(rows, columns)?)?;
    let end = stream.record()?;
    let results = Filtered {
        grey: stream.download(&grey_there)?,
        blurred: stream.download(&blurred)?,
        edges: stream.download(&edges)?,
    };
    Ok((results, end.elapsed_ms_since(&start)?))
}

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
    let blurred: Vec<f32> =
        places().map(|(x, y)| taps().map(|(d, w)| w * at(&rows, x, y + d)).sum()).collect();
    let edges = places().map(|(x, y)| {
        let near = |dx, dy| at(&blurred, x + dx, y + dy);
        let across =
            near(1, -1) + 2.0 * near(1, 0) + near(1, 1) - near(-1, -1) - 2.0 * near(-1, 0) - near(-1, 1);
        let down =
            near(-1, 1) + 2.0 * near(0, 1) + near(1, 1) - near(-1, -1) - 2.0 * near(0, -1) - near(1, -1);
        (across * across + down * down).sqrt().min(255.0)
    });
    let edges = edges.collect();
    Filtered { grey, blurred, edges }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes that are no multiple of a tile, down to one pixel.
    #[warpweft::test]
    fn filters_equal_the_reference(device: &Device) -> warpweft::Result<()> {
        let stream = device.stream()?;
        for (width, height) in [(1, 1), (16, 16), (37, 21), (3, 50)] {
            let pixels: Vec<u32> = (0..width * height).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
            let weights = bell(1.6);
            let (got, _) = filter(&stream, width, height, &pixels, weights)?;
            let expected = reference(width as usize, height as usize, &pixels, weights);
            for (got, expected) in
                [(got.grey, expected.grey), (got.blurred, expected.blurred), (got.edges, expected.edges)]
            {
                all_close("filter", &levels(&got), &levels(&expected), 1.0).expect("equal pictures");
            }
        }
        Ok(())
    }

    #[test]
    fn the_bell_keeps_the_brightness() {
        for sigma in [f32::from_bits(1), f32::MIN_POSITIVE, 0.5, 1.6, MAX_SIGMA] {
            let weights = bell(sigma);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{sigma}: {weights:?}");
            assert_eq!(weights[0], weights[TAPS - 1]);
        }
    }

    #[test]
    fn a_sigma_that_is_no_width_is_refused_before_any_work() {
        let dir = tempfile::tempdir().expect("a directory");
        let out = dir.path().join("out").display().to_string();
        for sigma in ["0", "-1", "-0.0", "nan", "inf", "50.001"] {
            let arguments = ["photo", "no-such.png", "--out", &out, "--sigma", sigma];
            let options = Options::try_parse_from(arguments).expect("a number");
            let error = run(&options).expect_err("refused");
            assert!(matches!(error, Error::Range { option: "sigma", .. }), "{sigma}: {error}");
        }
        assert_eq!(
            checked_sigma(-1.0).expect_err("refused").to_string(),
            "--sigma is -1: it must be greater than 0 and at most 50"
        );
        assert!(checked_sigma(1e-6).is_ok() && checked_sigma(MAX_SIGMA).is_ok());
        assert!(!Path::new(&out).exists());
    }
}
