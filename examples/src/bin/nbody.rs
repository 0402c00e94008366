//! Two discs of stars that meet: every star pulls at every other, with the positions of a block's worth of stars at a
//! time in shared memory.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use warpweft::prelude::*;
use warpweft_examples::{Common, Error, all_close, exit, write_png};

/// Stars that lie in shared memory at a time; as many threads has a block.
#[device]
const TILE: usize = 128;

/// Softens the pull of near stars, so that none is thrown out by a chance meeting.
#[device]
const SOFTENING: f32 = 1e-3;

/// A star's place and its mass.
#[derive(Clone, Copy, Element)]
#[repr(C, align(16))]
struct Star {
    place: [f32; 3],
    mass: f32,
}

#[device]
impl Star {
    /// Adds the pull of another star on a place to a sum of such.
    fn pull(&self, place: [f32; 3], sum: [f32; 3]) -> [f32; 3] {
        let d = [self.place[0] - place[0], self.place[1] - place[1], self.place[2] - place[2]];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING;
        let pull = self.mass / (square * square.sqrt());
        [d[0].mul_add(pull, sum[0]), d[1].mul_add(pull, sum[1]), d[2].mul_add(pull, sum[2])]
    }
}

/// Advances every star by a step of `step` units of time.
#[kernel]
fn advance(
    step: f32,
    stars: &[Star],
    mut moved: DisjointSlice<Star>,
    mut speeds: DisjointSlice<[f32; 3]>,
    shared: Shared<[Star; TILE]>,
) {
    let i = thread::index();
    let rank = thread::rank() as usize;
    let nobody = Star { place: [0.0; 3], mass: 0.0 };
    let own = stars.get(i.get()).copied().unwrap_or(nobody);
    let mut sum = [0.0; 3];
    let mut phase = shared.phases();
    let mut first = 0;
    while first < stars.len() {
        // Every thread fetches one star for all; beyond the end a star without mass.
        phase.arrays().set(stars.get(first + rank).copied().unwrap_or(nobody));
        let mut filled = phase.sync();
        for other in filled.arrays() {
            sum = other.pull(own.place, sum);
        }
        // Nobody fetches the next stars before all have used these.
        phase = filled.sync();
        first += TILE;
    }
    if let (Some(moved), Some(speed)) = (moved.get_mut(&i), speeds.get_mut(&i)) {
        *moved = own;
        for axis in 0..3 {
            speed[axis] += sum[axis] * step;
            moved.place[axis] += speed[axis] * step;
        }
    }
}

/// Simulates two discs of stars.
#[derive(Parser)]
struct Options {
    /// Number of stars.
    #[arg(long, default_value_t = 1024)]
    stars: usize,
    /// Number of frames to write.
    #[arg(long, default_value_t = 8)]
    frames: usize,
    /// Steps between two frames.
    #[arg(long, default_value_t = 12)]
    steps: usize,
    /// Directory of the frames.
    #[arg(long, default_value = "nbody")]
    out: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// Length of a step.
const STEP: f32 = 0.03;

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

fn run(options: &Options) -> warpweft_examples::Result<()> {
    if options.stars < 2 || options.stars > 1 << 22 {
        let reason = "from 2 to 4,194,304 stars are possible";
        return Err(Error::Option { option: "stars", value: options.stars as u64, reason });
    }
    let device = options.common.device.open()?;
    let stream = device.stream()?;
    let (mut stars, mut speeds) = discs(options.stars);
    let mut here = stream.upload(&stars)?;
    let mut there = stream.upload(&stars)?;
    let mut speeds_there = stream.upload(&speeds)?;
    let grid = Grid::cover(options.stars).with_threads(TILE as u32);

    let mut seconds = 0.0;
    for frame in 0..options.frames {
        let started = Instant::now();
        for _ in 0..options.steps {
            advance::launch(&stream, grid, STEP, &here, &mut there, &mut speeds_there)?;
            std::mem::swap(&mut here, &mut there);
        }
        stream.synchronize()?;
        seconds += started.elapsed().as_secs_f64();
        let result = stream.download(&here)?;
        if options.common.verify && frame == 0 {
            for _ in 0..options.steps {
                reference(&mut stars, &mut speeds, STEP);
            }
            let places = |stars: &[Star]| -> Vec<f32> { stars.iter().flat_map(|star| star.place).collect() };
            all_close("nbody", &places(&result), &places(&stars), 1e-3)?;
        }
        let path = options.out.join(format!("frame-{frame:03}.png"));
        write_png(&path, SIDE, SIDE, &draw(&result))?;
    }
    let pulls = (options.stars * options.stars * options.steps * options.frames) as f64;
    println!(
        "nbody of {} stars on {}: {} steps in {:.3} ms, {:.2} billion pulls/s, first launch included",
        options.stars,
        device.name(),
        options.steps * options.frames,
        1e3 * seconds,
        1e-9 * pulls / seconds
    );
    println!("wrote {} frames to {}", options.frames, options.out.display());
    Ok(())
}

/// Computes a step on the CPU.
fn reference(stars: &mut [Star], speeds: &mut [[f32; 3]], step: f32) {
    let old = stars.to_vec();
    for (star, speed) in stars.iter_mut().zip(speeds) {
        let mut sum = [0.0_f64; 3];
        for other in &old {
            let d: [f64; 3] =
                std::array::from_fn(|axis| f64::from(other.place[axis]) - f64::from(star.place[axis]));
            let square = d.iter().map(|d| d * d).sum::<f64>() + f64::from(SOFTENING);
            for axis in 0..3 {
                sum[axis] += f64::from(other.mass) * d[axis] / (square * square.sqrt());
            }
        }
        for axis in 0..3 {
            speed[axis] += sum[axis] as f32 * step;
            star.place[axis] += speed[axis] * step;
        }
    }
}

/// Makes two discs, each around a heavy star, on their way to each other.
fn discs(count: usize) -> (Vec<Star>, Vec<[f32; 3]>) {
    let mut seed = 1_u32;
    let mut random = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 24) as f32
    };
    let mut stars = Vec::with_capacity(count);
    let mut speeds = Vec::with_capacity(count);
    for i in 0..count {
        let side = if i % 2 == 0 { -1.0_f32 } else { 1.0 };
        let middle = [0.9 * side, 0.25 * side, 0.0];
        let drift = [-0.35 * side, 0.0, 0.0];
        if i < 2 {
            stars.push(Star { place: middle, mass: 0.5 });
            speeds.push(drift);
            continue;
        }
        let radius = 0.08 + 0.5 * random().sqrt();
        let (sin, cos) = (std::f32::consts::TAU * random()).sin_cos();
        // On a circle around the heavy star, which holds most of the mass within.
        let speed = (0.5 / radius).sqrt();
        let lift = 0.05 * (random() - 0.5);
        stars.push(Star {
            place: [middle[0] + radius * cos, middle[1] + radius * sin, lift],
            mass: 0.1 / count as f32,
        });
        speeds.push([drift[0] - speed * sin, drift[1] + speed * cos, 0.0]);
    }
    (stars, speeds)
}

/// Width and height of a frame in pixels.
const SIDE: u32 = 640;

/// Draws the stars as they look from above, brighter where there are many.
fn draw(stars: &[Star]) -> Vec<u8> {
    let mut light = vec![0.0_f32; (SIDE * SIDE) as usize];
    for star in stars {
        let pixel = |place: f32| (place + 2.0) / 4.0 * SIDE as f32;
        let (x, y) = (pixel(star.place[0]), pixel(star.place[1]));
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let (column, row) = (x.floor() as i64 + dx, y.floor() as i64 + dy);
            if (0..i64::from(SIDE)).contains(&column) && (0..i64::from(SIDE)).contains(&row) {
                let brightness = if dx == 0 && dy == 0 { 0.7 } else { 0.12 };
                light[(row * i64::from(SIDE) + column) as usize] += brightness;
            }
        }
    }
    let tone = |light: f32, gain: f32| (255.0 * (1.0 - (-gain * light).exp())) as u8;
    light.iter().flat_map(|&light| [tone(light, 0.9), tone(light, 1.2), tone(light, 2.0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn a_step_equals_the_reference(device: &Device) -> warpweft::Result<()> {
        let stream = device.stream()?;
        for count in [2, 127, 128, 300] {
            let (mut stars, mut speeds) = discs(count);
            let here = stream.upload(&stars)?;
            let mut there = stream.upload(&stars)?;
            let mut speeds_there = stream.upload(&speeds)?;
            let grid = Grid::cover(count).with_threads(TILE as u32);
            advance::launch(&stream, grid, STEP, &here, &mut there, &mut speeds_there)?;
            reference(&mut stars, &mut speeds, STEP);
            for (got, expected) in stream.download(&there)?.iter().zip(&stars) {
                for axis in 0..3 {
                    assert!((got.place[axis] - expected.place[axis]).abs() < 1e-4, "{count} stars");
                }
            }
        }
        Ok(())
    }
}
