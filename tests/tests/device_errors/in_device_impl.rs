// says: to_string
use warpweft::prelude::*;

#[device]
struct S(f32);

#[device]
impl S {
    fn f(&self) -> f32 {
        self.0./*@*/to_string();
        self.0
    }
}

fn main() {}
