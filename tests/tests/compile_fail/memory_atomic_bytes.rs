use warpweft::prelude::*;

#[kernel]
fn bytes(counts: Atomics<u8>) {}

#[kernel]
fn masks(masks: Atomics<f32>) {
    masks[0].fetch_or(1.0, Ordering::Relaxed);
}

fn main() {}
