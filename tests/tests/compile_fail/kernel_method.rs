use warpweft::prelude::*;

struct S;

impl S {
    #[kernel]
    fn k(&self, x: f32) {
        let _ = x;
    }
}

fn main() {}
