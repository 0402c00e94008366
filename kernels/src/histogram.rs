//! Counts how often each byte value occurs, with atomics on global memory.

use warpweft::Result;
use warpweft::prelude::*;

/// Number of bins: one for each value of a byte.
pub const BINS: usize = 256;

/// Adds the number of occurrences of each byte to its bin.
#[kernel]
pub fn histogram(data: &[u8], bins: Atomics<u32>) {
    let i = thread::index();
    if let Some(&value) = data.get(i.get()) {
        bins[value as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts the bytes of `data` into a new buffer of [`BINS`] numbers. Returns once the launch is queued on `stream`.
///
/// # Errors
/// Those of an allocation and of a launch.
pub fn run(stream: &Stream, data: &DeviceSlice<u8>) -> Result<Buffer<u32>> {
    let mut bins = stream.zeros::<u32>(BINS)?;
    histogram::launch(stream, Grid::cover(data.len()), data, &mut bins)?;
    Ok(bins)
}

/// Computes the same on the CPU.
pub fn reference(data: &[u8]) -> [u32; BINS] {
    let mut bins = [0; BINS];
    for &value in data {
        bins[usize::from(value)] += 1;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn equals_the_reference(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        for len in [0, 1, 1000, 65_537] {
            let data: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
            let there = stream.upload(&data)?;
            assert_eq!(stream.download(&run(&stream, &there)?)?, reference(&data), "{len} bytes");
        }
        Ok(())
    }
}
