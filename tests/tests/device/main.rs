//! The device layer on every device there is, against references on the CPU.

mod atomics;
mod math;
mod phases;
mod views;
mod warps;

/// Reproducible numbers below 2^24.
fn noise(len: usize) -> Vec<u32> {
    let mut state = 12345_u32;
    let next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 8
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// Reproducible multiples of 1/16 between -8 and 8: sums and products of a few are exact.
fn sixteenths(len: usize) -> Vec<f32> {
    noise(len).into_iter().map(|n| (n % 256) as f32 / 16.0 - 8.0).collect()
}
