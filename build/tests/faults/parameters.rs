#[warpweft::device] struct Odd;
mod m { use super::Odd; #[warpweft::kernel] fn k(x: f32, y: Odd) {} }
#[warpweft::kernel] fn k(/* ß */ y: Odd) {}
fn main() {}
//~ 2:61 in device code: `Odd` cannot be passed to a kernel by value
//~ 3:37 in device code: `Odd` cannot be passed to a kernel by value
