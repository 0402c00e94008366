use std::sync::atomic::{AtomicU32, Ordering};
static HOST: AtomicU32 = AtomicU32::new(0);
#[warpweft::device] static N: AtomicU32 = AtomicU32::new(0);
#[warpweft::kernel] fn k() { N.fetch_add(1, Ordering::Relaxed); HOST.load(Ordering::Relaxed); }
fn main() {}
//~ 3:31 `AtomicU32` of core loses its memory ordering on the GPU
//~ 3:43 `AtomicU32` of core loses its memory ordering on the GPU
//~ 4:65 `HOST` is used in kernel `k`: add #[device] to the static in line 2
