//! The Mandelbrot set as a PNG: one thread per pixel, each with a loop of its own length.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use warpweft::prelude::*;
use warpweft_examples::{Common, Error, MAX_PIXELS, all_equal, exit, write_png};

/// The part of the plane that is shown.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct View {
    /// Pixels of a row.
    width: u32,
    /// Pixels of a column.
    height: u32,
    /// The middle of the picture.
    centre: [f32; 2],
    /// Size of a pixel.
    scale: f32,
    /// Steps after which a point counts as inside.
    limit: u32,
}

/// How a point fared.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[repr(C)]
struct Escape {
    /// Steps until it had left the circle of radius 16, or the limit.
    steps: u32,
    /// Its squared distance from zero then.
    norm: f32,
}

#[device]
impl View {
    /// The point of the plane that a pixel shows.
    fn point(&self, x: u32, y: u32) -> [f32; 2] {
        let from_middle = |pixel: u32, pixels: u32| pixel as f32 - 0.5 * pixels as f32;
        [
            from_middle(x, self.width).mul_add(self.scale, self.centre[0]),
            from_middle(y, self.height).mul_add(self.scale, self.centre[1]),
        ]
    }

    /// Follows z ← z² + c. Each `mul_add` rounds once, on every device.
    fn escape(&self, [cx, cy]: [f32; 2]) -> Escape {
        let (mut x, mut y) = (0.0_f32, 0.0_f32);
        let mut steps = 0;
        loop {
            let norm = x.mul_add(x, y * y);
            if norm > 256.0 || steps == self.limit {
                return Escape { steps, norm };
            }
            let next = x.mul_add(x, -(y * y)) + cx;
            y = (x + x).mul_add(y, cy);
            x = next;
            steps += 1;
        }
    }
}

#[kernel]
fn mandelbrot(view: View, mut out: DisjointSlice<Escape>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        let pixel = i.get() as u32;
        *out = view.escape(view.point(pixel % view.width, pixel / view.width));
    }
}

/// Colours a point by how fast it left; what stayed inside is black.
fn colour(escape: &Escape, limit: u32) -> [u8; 3] {
    if escape.steps >= limit {
        return [0; 3];
    }
    // Steps as a real number, without the rings that whole steps would make.
    let steps = escape.steps as f32 + 1.0 - (0.5 * escape.norm.ln() / 2.0_f32.ln()).log2() + 2.0;
    let phase = 0.6 * steps.max(1.0).ln();
    [0.0, 0.6, 1.2].map(|shift| (127.5 - 127.5 * (3.0 * phase + shift + 0.4).cos()) as u8)
}

/// Draws the Mandelbrot set.
#[derive(Parser)]
struct Options {
    /// Width in pixels.
    #[arg(long, default_value_t = 1200)]
    width: u32,
    /// Height in pixels.
    #[arg(long, default_value_t = 800)]
    height: u32,
    /// Steps after which a point counts as inside.
    #[arg(long, default_value_t = 400)]
    limit: u32,
    /// The file to write.
    #[arg(long, default_value = "mandelbrot.png")]
    out: PathBuf,
    #[command(flatten)]
    common: Common,
}

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

fn run(options: &Options) -> warpweft_examples::Result<()> {
    let pixels = u64::from(options.width) * u64::from(options.height);
    if pixels == 0 || pixels > MAX_PIXELS {
        let reason = "a picture has from 1 to 268,435,456 pixels in all";
        return Err(Error::Option { option: "width times --height", value: pixels, reason });
    }
    let view = View {
        width: options.width,
        height: options.height,
        centre: [-0.65, 0.0],
        scale: 2.5 / options.height as f32,
        limit: options.limit,
    };
    let device = options.common.device.open()?;
    let stream = device.stream()?;
    let mut out = stream.zeros::<Escape>(pixels as usize)?;
    let started = Instant::now();
    mandelbrot::launch(&stream, Grid::cover(out.len()), view, &mut out)?;
    stream.synchronize()?;
    let time = started.elapsed();
    let escapes = stream.download(&out)?;

    println!(
        "mandelbrot of {} x {} pixels on {}: {:.3} ms, first launch included",
        view.width,
        view.height,
        device.name(),
        1e3 * time.as_secs_f64()
    );
    if options.common.verify {
        all_equal("mandelbrot", &escapes, &reference(&view))?;
    }
    let bytes: Vec<u8> = escapes.iter().flat_map(|escape| colour(escape, view.limit)).collect();
    write_png(&options.out, view.width, view.height, &bytes)?;
    println!("wrote {}", options.out.display());
    Ok(())
}

/// Computes the same on the CPU, row by row.
fn reference(view: &View) -> Vec<Escape> {
    let mut escapes = Vec::new();
    for row in 0..view.height {
        let cy = (row as f32 - 0.5 * view.height as f32).mul_add(view.scale, view.centre[1]);
        for column in 0..view.width {
            let cx = (column as f32 - 0.5 * view.width as f32).mul_add(view.scale, view.centre[0]);
            let (mut x, mut y, mut steps) = (0.0_f32, 0.0_f32, 0);
            while x.mul_add(x, y * y) <= 256.0 && steps < view.limit {
                (x, y) = (x.mul_add(x, -(y * y)) + cx, (x + x).mul_add(y, cy));
                steps += 1;
            }
            escapes.push(Escape { steps, norm: x.mul_add(x, y * y) });
        }
    }
    escapes
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: View = View { width: 96, height: 64, centre: [-0.65, 0.0], scale: 0.04, limit: 100 };

    #[warpweft::test]
    fn the_picture_is_the_references(device: &Device) -> warpweft::Result<()> {
        let stream = device.stream()?;
        let mut out = stream.zeros::<Escape>(96 * 64)?;
        mandelbrot::launch(&stream, Grid::cover(out.len()), VIEW, &mut out)?;
        assert_eq!(stream.download(&out)?, reference(&VIEW));
        Ok(())
    }

    #[test]
    fn the_set_has_its_shape() {
        let escape = |point| VIEW.escape(point).steps;
        assert_eq!(escape([0.0, 0.0]), 100);
        assert_eq!(escape([-1.0, 0.0]), 100);
        assert!(escape([1.0, 0.0]) < 10);
        assert_eq!(colour(&VIEW.escape([0.0, 0.0]), 100), [0; 3]);
        assert_ne!(colour(&VIEW.escape([0.5, 0.5]), 100), [0; 3]);
    }
}
