// says: error[E0499]: cannot borrow
use warpweft::prelude::*;

#[device]
fn f(values: &mut [f32]) -> f32 {
    let first = &mut values[0];
    let last = /*@*/&mut values[1];
    *first = 1.0;
    *last = 2.0;
    *first
}

fn main() {}
