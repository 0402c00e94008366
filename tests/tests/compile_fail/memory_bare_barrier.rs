use warpweft::device::barrier::sync_threads;
use warpweft::prelude::*;

#[kernel]
fn bare() {
    sync_threads();
}

fn main() {}
