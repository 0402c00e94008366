use warpweft::prelude::*;

#[kernel]
fn loops(shared: Shared<[f32; 64]>) {
    let mut rounds = shared.rounds();
    rounds.sync();
}

fn main() {}
