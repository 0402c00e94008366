//! Sums up the elements of each block of 256.

use warpweft::Result;
use warpweft::prelude::*;

/// Threads of a block, and elements that go into one sum.
#[device]
pub const BLOCK: usize = 256;

/// Adds the sum of every [`BLOCK`] elements of `x` to one element of `sums`. A block must have [`BLOCK`] threads.
///
/// In each round half of the sums are added to the other half; what a round writes, the next one reads.
#[kernel]
pub fn reduce(x: &[f32], sums: Atomics<f32>, shared: Shared<Double<[f32; BLOCK]>>) {
    let i = thread::index().get();
    let rank = thread::rank() as usize;
    let mut rounds = shared.rounds();
    rounds.arrays().0.set(x.get(i).copied().unwrap_or(0.0));
    let mut half = BLOCK / 2;
    while half > 0 {
        rounds.sync();
        let (mut write, read) = rounds.arrays();
        if rank < half {
            write.set(read[rank] + read[rank + half]);
        }
        half /= 2;
    }
    rounds.sync();
    if rank == 0 {
        // The one addition to this element, which the host had set to zero.
        let (_, read) = rounds.arrays();
        sums[i / BLOCK].fetch_add(read[0], Ordering::Relaxed);
    }
}

/// Sums up every [`BLOCK`] elements of `x` into a new buffer. Returns once the launch is queued on `stream`.
///
/// # Errors
/// Those of an allocation and of a launch.
pub fn run(stream: &Stream, x: &DeviceSlice<f32>) -> Result<Buffer<f32>> {
    let mut sums = stream.zeros::<f32>(x.len().div_ceil(BLOCK))?;
    reduce::launch(stream, Grid::cover(x.len()).with_threads(BLOCK as u32), x, &mut sums)?;
    Ok(sums)
}

/// Computes the same on the CPU, in the same order of additions.
pub fn reference(x: &[f32]) -> Vec<f32> {
    let sum = |block: &[f32]| {
        let mut sums = [0.0; BLOCK];
        sums[..block.len()].copy_from_slice(block);
        let mut half = BLOCK / 2;
        while half > 0 {
            for i in 0..half {
                sums[i] += sums[i + half];
            }
            half /= 2;
        }
        sums[0]
    };
    x.chunks(BLOCK).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn equals_the_reference(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        for len in [0, 1, 255, 256, 257, 10_000] {
            let x: Vec<f32> = (0..len).map(|i| (i as f32 * 0.7).fract() - 0.3).collect();
            let there = stream.upload(&x)?;
            assert_eq!(stream.download(&run(&stream, &there)?)?, reference(&x), "{len} elements");
        }
        Ok(())
    }
}
