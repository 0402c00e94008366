//! saxpy on 2^28 elements against the same kernel built by nvcc, in turns, medians of 20.

use warpweft::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = a * x[&i] + *y;
    }
}

fn main() -> warpweft_benches::Result<()> {
    if warpweft_benches::asked_for() { gpu::run() } else { Ok(()) }
}

#[cfg(sim)]
mod gpu {
    /// Says why there is nothing to measure.
    pub fn run() -> warpweft_benches::Result<()> {
        println!("saxpy: skipped: this is a `--cfg sim` build");
        Ok(())
    }
}

#[cfg(not(sim))]
mod gpu {
    use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg as _};
    use warpweft::prelude::*;
    use warpweft_benches::twin::Twin;
    use warpweft_benches::{Record, Result, in_turns};

    use super::saxpy;

    const ELEMENTS: usize = 1 << 28;
    const A: f32 = 0.5;

    /// Checks both kernels, then times them in turns.
    pub fn run() -> Result<()> {
        let device = match Device::cuda(0) {
            Ok(device) => device,
            Err(error) => {
                println!("saxpy: skipped: {error}");
                return Ok(());
            }
        };
        let Some(twin) = Twin::load("saxpy")? else {
            println!("saxpy: skipped: WARPWEFT_TWINS does not name a directory of cubins made by nvcc");
            return Ok(());
        };
        let stream = device.stream()?;
        let x: Vec<f32> = (0..ELEMENTS).map(|i| (i % 1021) as f32).collect();
        let x_ours = stream.upload(&x)?;
        let mut y_ours = stream.zeros::<f32>(ELEMENTS)?;
        let grid = Grid::cover(ELEMENTS);

        let x_theirs = twin.stream.clone_htod(&x)?;
        let mut y_theirs = twin.stream.alloc_zeros::<f32>(ELEMENTS)?;
        let config = LaunchConfig {
            grid_dim: (grid.blocks().x, 1, 1),
            block_dim: (grid.threads().x, 1, 1),
            shared_mem_bytes: 0,
        };

        let ours = |y: &mut Buffer<f32>| -> Result<f64> {
            let start = stream.record()?;
            saxpy::launch(&stream, grid, A, &x_ours, y)?;
            let end = stream.record()?;
            end.synchronize()?;
            Ok(f64::from(end.elapsed_ms_since(&start)?))
        };
        let theirs = |y: &mut CudaSlice<f32>| {
            twin.time(|| {
                let mut launch = twin.stream.launch_builder(&twin.function);
                let len = ELEMENTS;
                launch.arg(&A).arg(&x_theirs).arg(y).arg(&len);
                // SAFETY: the arguments are those of saxpy.cu, and both buffers have `len` elements.
                unsafe { launch.launch(config) }?;
                Ok(())
            })
        };
        // One launch each, and a look at the results, before anything is timed.
        ours(&mut y_ours)?;
        theirs(&mut y_theirs)?;
        let expected: Vec<f32> = x.iter().map(|x| A * x).collect();
        if stream.download(&y_ours)? != expected {
            return Err("warpweft's saxpy is wrong".into());
        }
        if twin.stream.clone_dtoh(&y_theirs)? != expected {
            return Err("nvcc's saxpy is wrong".into());
        }
        drop((x, expected));

        let timed = in_turns(5, 20, &mut [&mut || ours(&mut y_ours), &mut || theirs(&mut y_theirs)])?;
        let gigabytes = 12e-9 * ELEMENTS as f64;
        let ratio = timed[0].median_ms() / timed[1].median_ms();
        Record::new("saxpy")
            .with("device", device.name())
            .with("elements", ELEMENTS)
            .with("warpweft", timed[0].json())
            .with("nvcc", timed[1].json())
            .with("ratio", ratio)
            .with("warpweft_gb_per_s", 1e3 * gigabytes / timed[0].median_ms())
            .save()
    }
}
