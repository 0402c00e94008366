use warpweft::prelude::*;

#[kernel]
fn writes(shared: Shared<[f32; 64]>) {
    let mut phase = shared.phases().sync();
    phase.arrays()[0] = 1.0;
}

fn main() {}
