use warpweft::prelude::*;
#[device] fn twice(x: u32) -> u32 { x.wrapping_mul(2) }
#[device] fn half(x: u32) -> u32 { x / 2 }
#[device] fn next(x: u32) -> u32 { x.wrapping_add(1) }
#[device] trait Step { fn step(&self, x: u32) -> u32; }
#[device] impl Step for u32 { fn step(&self, x: u32) -> u32 { x ^ *self } }
#[device] impl Step for f32 { fn step(&self, x: u32) -> u32 { x & self.to_bits() } }
#[device] #[inline(never)] fn walk(steps: &[&dyn Step; 2], which: &[u32]) -> u32 {
    which.iter().fold(0, |x, &i| steps[i as usize % 2].step(x))
}
#[device] fn folded(which: &[u32], f: impl Fn(u32) -> u32) -> u32 { which.iter().fold(0, |x, _| f(x)) }
#[kernel] fn listed(which: &[u32], mut y: DisjointSlice<u32>) {
    let steps: [fn(u32) -> u32; 3] = [twice, half, next];
    let mut x = 1;
    for &i in which { x = steps[i as usize % 3](x); }
    if let Some(y) = y.get_mut(&thread::index()) { *y = x; }
}
#[kernel] fn behind(which: &[u32], a: f32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) { *y = walk(&[&7, &a], which); }
}
#[kernel] fn formats(a: u32, mut y: DisjointSlice<u32>) {
    struct Count(u32);
    impl core::fmt::Write for Count { fn write_str(&mut self, s: &str) -> core::fmt::Result { self.0 += s.len() as u32; Ok(()) } }
    let mut count = Count(0);
    let _ = core::fmt::write(&mut count, format_args!("{a}"));
    if let Some(y) = y.get_mut(&thread::index()) { *y = count.0; }
}
#[kernel] fn generic(which: &[u32], mut y: DisjointSlice<u32>) {
    let n = which.len() as u32;
    if let Some(y) = y.get_mut(&thread::index()) { *y = folded(which, |x| x ^ n) + folded(which, twice); }
}
fn main() {}
//~ 12:14 kernel `listed` calls a function through a pointer (a `fn` pointer or `dyn`), which ptxas is known to miscompile
//~ 18:14 kernel `behind` calls a function through a pointer
//~ 21:14 kernel `formats` formats text with `core::fmt`
