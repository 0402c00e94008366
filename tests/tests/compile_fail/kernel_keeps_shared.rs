use warpweft::prelude::*;

type Kept = Shared<'static, [f32; 64]>;

#[kernel]
fn k(shared: Kept) {
    let _ = shared.phases();
}

fn main() {}
