#[warpweft::kernel]
unsafe fn k(n: usize, größe: u64) { if n == 7 { unsafe { *(größe as *mut u32) = 1 } } }
#[cfg_attr(all(), warpweft::kernel)] #[cfg(feature = "on")] unsafe fn r#match(n: u64) { unsafe { *(n as *mut u32) = 1 } }
#[cfg(feature = "off")] #[warpweft::kernel] fn gone(x: f32) {}
fn main() {}
