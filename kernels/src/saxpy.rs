//! `y = a * x + y`, one thread per element, rounded once.

use warpweft::prelude::*;
use warpweft::{Error, Result};

/// Adds `a` times `x` to `y`.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = a.mul_add(x[&i], *y);
    }
}

/// Adds `a` times `x` to `y` on the device. Returns once the launch is queued on `stream`.
///
/// # Errors
/// [`Error::Length`] if the buffers differ in length, and the errors of a launch.
pub fn run(stream: &Stream, a: f32, x: &DeviceSlice<f32>, y: &mut DeviceSlice<f32>) -> Result<()> {
    if x.len() != y.len() {
        return Err(Error::Length { what: "saxpy", source_len: x.len(), destination_len: y.len() });
    }
    saxpy::launch(stream, Grid::cover(y.len()), a, x, y)
}

/// Computes the same on the CPU.
pub fn reference(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = a.mul_add(*x, *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn equals_the_reference(device: &Device) -> Result<()> {
        let stream = device.stream()?;
        for len in [0, 1, 31, 256, 257, 100_003] {
            let x: Vec<f32> = (0..len).map(|i| i as f32 * 0.37 - 9.0).collect();
            let mut expected: Vec<f32> = (0..len).map(|i| 1.0 / (i as f32 + 0.5)).collect();
            let x_there = stream.upload(&x)?;
            let mut y_there = stream.upload(&expected)?;
            run(&stream, 1.7, &x_there, &mut y_there)?;
            reference(1.7, &x, &mut expected);
            assert_eq!(stream.download(&y_there)?, expected, "{len} elements");
        }
        Ok(())
    }
}
