use warpweft::prelude::*;

#[kernel]
fn narrow(counts: Atomics<u32>) {
    counts[0].block().fetch_add(1, Ordering::Relaxed);
}

fn main() {}
