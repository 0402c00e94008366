// says: vec
use warpweft::prelude::*;

#[device]
mod tools {
    pub fn f() -> usize {
        /*@*/vec![1, 2].len()
    }
}

#[kernel]
fn k() {
    tools::f();
}

fn main() {}
