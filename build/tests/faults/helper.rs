use std::collections::{BTreeMap, HashMap};
fn helper(x: f32) -> f32 { x }
mod util { pub fn far() {} pub const LIMIT: u32 = 3; pub struct Table; #[warpweft::device] pub fn near() {} pub mod host { pub fn g() {} } }
use util::{far, host};
/* ß */ #[warpweft::kernel] fn k(x: f32) { let ß = helper(x); far(); util::far(); crate::util::LIMIT; let t: util::Table; host::g();
    let m: HashMap<u32, u32> = HashMap::new(); let b = BTreeMap::<u8, u8>::new(); }
fn main() {}
//~ 5:52 `helper` is called from kernel `k`: add #[device] to the function in line 2
//~ 5:63 `far` is called from kernel `k`: add #[device] to the function in line 3
//~ 5:76 `far` is called from kernel `k`: add #[device]
//~ 5:96 `LIMIT` is used in kernel `k`: add #[device] to the constant in line 3
//~ 5:116 `Table` is used in kernel `k`: add #[device] to the struct in line 3
//~ 5:123 module `host` (line 3), used in kernel `k`, holds no device code
//~ 6:12 `HashMap`, imported in line 1, is host-only: device code has no allocator
//~ 6:32 `HashMap`, imported in line 1, is host-only: device code has no allocator
//~ 6:56 `BTreeMap`, imported in line 1, is host-only
