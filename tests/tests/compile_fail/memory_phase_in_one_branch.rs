use warpweft::prelude::*;

#[kernel]
fn one_sided(condition: bool, shared: Shared<[f32; 64]>) {
    let mut phase = shared.phases();
    if condition {
        phase.sync();
    }
    phase.arrays().set(1.0);
}

fn main() {}
