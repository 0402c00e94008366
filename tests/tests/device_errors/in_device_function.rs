// says: to_string
use warpweft::prelude::*;

mod größe {
    use super::*;

    #[device]
    pub fn f(größe: f32) {
        let ß = größe; ß./*@*/to_string();
    }
}

#[kernel]
fn k(x: f32) {
    größe::f(x);
}

fn main() {}
