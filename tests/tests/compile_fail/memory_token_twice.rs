use warpweft::prelude::*;

#[kernel]
fn two_tokens(shared: Shared<[f32; 64]>) {
    let writes = shared.phases();
    let reads = shared.phases().sync();
}

fn main() {}
