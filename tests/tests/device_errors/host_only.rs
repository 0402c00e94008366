// says: `HashMap` | host-only
use warpweft::prelude::*;

use std::collections::HashMap;

#[kernel]
fn k(x: u32) {
    let mut map = /*@*/HashMap::new();
    map.insert(x, x);
}

fn main() {}
