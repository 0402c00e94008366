//! Checks the three forms of each kernel, and times them in turns.

use cudarc::driver::{LaunchConfig, PushKernelArg as _};
use rayon::prelude::*;
use warpweft::prelude::*;
use warpweft_benches::twin::{Twin, Twins};
use warpweft_benches::{Record, Result, in_turns};

use super::{BINS, HISTOGRAM_WORDS, MATMUL_TILE, RADIUS, THREADS, TRANSPOSE_TILE, raw, safe};

/// Elements of all kernels but `matmul`: enough for 200 microseconds of streaming.
const ELEMENTS: usize = 1 << 27;
/// The matrix that `transpose` takes them for.
const COLUMNS: usize = 1 << 13;
const ROWS: usize = ELEMENTS / COLUMNS;
/// Rows and columns of the matrices of `matmul`.
const N: usize = 2048;

/// Runs all kernels, or says why there is nothing to measure.
pub fn run() -> Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("memory: skipped: {error}");
            return Ok(());
        }
    };
    let Some(twins) = Twins::load("memory")? else {
        println!("memory: skipped: WARPWEFT_TWINS does not name a directory of cubins made by nvcc");
        return Ok(());
    };
    let mut bench =
        Bench { stream: device.stream()?, device: device.name().to_owned(), twins, ratios: Vec::new() };
    bench.streaming()?;
    bench.matmul()?;
    bench.summary()
}

/// What is needed to run a kernel, and what came of those before.
struct Bench {
    stream: Stream,
    device: String,
    twins: Twins,
    /// The safe over the raw and the safe over nvcc's time of each kernel.
    ratios: Vec<(f64, f64)>,
}

impl Bench {
    /// The kernels that go once through the same random words.
    fn streaming(&mut self) -> Result<()> {
        let words = noise(ELEMENTS);
        let there = self.stream.upload(&words)?;
        let (x, x_address, len) = (&there, there.device_ptr().address(), ELEMENTS as u64);
        let line = Grid::new((ELEMENTS / THREADS) as u32, THREADS as u32);

        let want: Vec<u32> = words.par_chunks(THREADS).map(sum).collect();
        self.measure(
            "reduce",
            line,
            &want,
            |stream, y| safe::reduce::launch(stream, line, x, y),
            |stream, y| raw::reduce::launch(stream, line, x, y),
            |y| vec![x_address, y, len],
        )?;

        let want =
            (0..ELEMENTS).into_par_iter().map(|i| words[i % ROWS * COLUMNS + i / ROWS]).collect::<Vec<_>>();
        let side = TRANSPOSE_TILE as u32;
        let grid =
            Grid::new(((ROWS / TRANSPOSE_TILE) as u32, (COLUMNS / TRANSPOSE_TILE) as u32), (side, side));
        self.measure(
            "transpose",
            grid,
            &want,
            |stream, y| safe::transpose::launch(stream, grid, x, y.grid_mut(COLUMNS, ROWS)?),
            |stream, y| raw::transpose::launch(stream, grid, ROWS, COLUMNS, x, y),
            |y| vec![ROWS as u64, COLUMNS as u64, x_address, y],
        )?;

        let window = |i: usize| sum(&words[i.saturating_sub(RADIUS)..(i + RADIUS + 1).min(ELEMENTS)]);
        let want: Vec<u32> = (0..ELEMENTS).into_par_iter().map(window).collect();
        self.measure(
            "stencil",
            line,
            &want,
            |stream, y| safe::stencil::launch(stream, line, x, y),
            |stream, y| raw::stencil::launch(stream, line, x, y),
            |y| vec![x_address, y, len],
        )?;

        let mut want = words.clone();
        want.par_chunks_mut(THREADS).for_each(|block| {
            for i in 1..block.len() {
                block[i] = block[i].wrapping_add(block[i - 1]);
            }
        });
        self.measure(
            "scan",
            line,
            &want,
            |stream, y| safe::scan::launch(stream, line, x, y),
            |stream, y| raw::scan::launch(stream, line, x, y),
            |y| vec![x_address, y, len],
        )?;

        want.copy_from_slice(&words);
        want.par_chunks_mut(THREADS).for_each(|block| block.sort_unstable());
        self.measure(
            "sort",
            line,
            &want,
            |stream, y| safe::sort::launch(stream, line, x, y),
            |stream, y| raw::sort::launch(stream, line, x, y),
            |y| vec![x_address, y, len],
        )?;

        let mut want = vec![0_u32; BINS];
        words.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| want[usize::from(byte)] += 1);
        let grid = Grid::new((ELEMENTS / HISTOGRAM_WORDS) as u32, THREADS as u32);
        self.measure(
            "histogram",
            grid,
            &want,
            |stream, y| safe::histogram::launch(stream, grid, x, y),
            |stream, y| raw::histogram::launch(stream, grid, x, y),
            |y| vec![x_address, y, len],
        )
    }

    /// The product of two matrices of quarters from -2 to 1.75, whose products and sums are exact in any order.
    fn matmul(&mut self) -> Result<()> {
        let quarters: Vec<f32> = noise(2 * N * N).iter().map(|n| (n % 16) as f32 / 4.0 - 2.0).collect();
        let (a, b) = quarters.split_at(N * N);
        let mut want = vec![0.0_f32; N * N];
        want.par_chunks_mut(N).zip(a.par_chunks(N)).for_each(|(row, a)| {
            for (a, b) in a.iter().zip(b.chunks(N)) {
                row.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
            }
        });
        let (a, b) = (self.stream.upload(a)?, self.stream.upload(b)?);
        let (a_address, b_address) = (a.device_ptr().address(), b.device_ptr().address());
        let (blocks, side) = ((N / MATMUL_TILE) as u32, MATMUL_TILE as u32);
        let grid = Grid::new((blocks, blocks), (side, side));
        self.measure(
            "matmul",
            grid,
            &want,
            |stream, c| safe::matmul::launch(stream, grid, N, &a, &b, c.grid_mut(N, N)?),
            |stream, c| raw::matmul::launch(stream, grid, N, &a, &b, c),
            |c| vec![N as u64, a_address, b_address, c],
        )
    }

    /// Checks the three forms of one kernel, each with an output of its own, then times them. `arguments`
    /// makes the twin's from the address of its output.
    fn measure<T: Element + PartialEq>(
        &mut self,
        kernel: &str,
        grid: Grid,
        want: &[T],
        safe: impl Fn(&Stream, &mut Buffer<T>) -> warpweft::Result<()>,
        raw: impl Fn(&Stream, &mut Buffer<T>) -> warpweft::Result<()>,
        arguments: impl Fn(u64) -> Vec<u64>,
    ) -> Result<()> {
        let twin = self.twins.kernel(kernel)?;
        let stream = &self.stream;
        let mut outputs = [stream.zeros(want.len())?, stream.zeros(want.len())?, stream.zeros(want.len())?];
        let arguments = arguments(outputs[2].device_ptr().address());
        // The twin has a stream of its own, which does not wait for the uploads.
        stream.synchronize()?;

        // One launch each, and a look at the results, before anything is timed.
        self.time(|| safe(stream, &mut outputs[0]))?;
        self.time(|| raw(stream, &mut outputs[1]))?;
        time_twin(&twin, grid, &arguments)?;
        for (form, output) in ["safe", "raw", "cuda"].into_iter().zip(&outputs) {
            let found = stream.download(output)?;
            if let Some(i) = found.iter().zip(want).position(|(found, want)| found != want) {
                return Err(format!("the {form} form of {kernel} is wrong at element {i}").into());
            }
        }

        let [safe_y, raw_y, _] = &mut outputs;
        let times = in_turns(
            5,
            20,
            &mut [
                &mut || self.time(|| safe(stream, safe_y)),
                &mut || self.time(|| raw(stream, raw_y)),
                &mut || time_twin(&twin, grid, &arguments),
            ],
        )?;
        let [safe, raw, cuda] = [0, 1, 2].map(|form: usize| times[form].median_ms());
        self.ratios.push((safe / raw, safe / cuda));
        Record::new(&format!("memory-{kernel}"))
            .with("kernel", kernel)
            .with("device", self.device.as_str())
            .with("safe_ms", safe)
            .with("raw_ms", raw)
            .with("cuda_ms", cuda)
            .with("safe_over_raw", safe / raw)
            .with("safe_over_cuda", safe / cuda)
            .with("safe", times[0].json())
            .with("raw", times[1].json())
            .with("cuda", times[2].json())
            .save()
    }

    /// Times a launch of ours, in milliseconds of the device's clock.
    fn time(&self, launch: impl FnOnce() -> warpweft::Result<()>) -> Result<f64> {
        let start = self.stream.record()?;
        launch()?;
        let end = self.stream.record()?;
        end.synchronize()?;
        Ok(f64::from(end.elapsed_ms_since(&start)?))
    }

    /// Prints the geometric means over all kernels.
    fn summary(&self) -> Result<()> {
        let mean = |ratio: fn(&(f64, f64)) -> f64| {
            let logarithms: f64 = self.ratios.iter().map(|ratios| ratio(ratios).ln()).sum();
            (logarithms / self.ratios.len() as f64).exp()
        };
        Record::new("memory")
            .with("device", self.device.as_str())
            .with("kernels", self.ratios.len())
            .with("geometric_mean_safe_over_raw", mean(|ratios| ratios.0))
            .with("geometric_mean_safe_over_cuda", mean(|ratios| ratios.1))
            .save()
    }
}

/// Times a launch of a twin with these words, numbers or addresses, in milliseconds of the device's clock.
fn time_twin(twin: &Twin, grid: Grid, arguments: &[u64]) -> Result<f64> {
    let (blocks, threads) = (grid.blocks(), grid.threads());
    let config = LaunchConfig {
        grid_dim: (blocks.x, blocks.y, blocks.z),
        block_dim: (threads.x, threads.y, threads.z),
        shared_mem_bytes: 0,
    };
    twin.time(|| {
        let mut launch = twin.stream.launch_builder(&twin.function);
        for word in arguments {
            launch.arg(word);
        }
        // SAFETY: these are the parameters of the kernel in memory.cu, all of 64 bits; the buffers behind the addresses
        // have the lengths that it expects, and nothing else uses them meanwhile.
        unsafe { launch.launch(config) }?;
        Ok(())
    })
}

/// Adds up words as the kernels do.
fn sum(words: &[u32]) -> u32 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// Reproducible random words (the generator is SplitMix64).
fn noise(len: usize) -> Vec<u32> {
    let word = |i: usize| {
        let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u32
    };
    (0..len).into_par_iter().map(word).collect()
}
