use std::sync::atomic::{AtomicUsize, Ordering, AtomicU64 as A};
static COUNT: AtomicUsize = AtomicUsize::new(0);
#[warpweft::kernel]
unsafe fn k(n: u64) { std::sync::atomic::fence(Ordering::SeqCst); unsafe { *(n as *mut u32) = 1 } }
fn main() { COUNT.fetch_add(1, Ordering::Relaxed); }
