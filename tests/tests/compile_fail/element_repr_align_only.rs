use warpweft::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(align(16))]
struct Particle {
    position: [f32; 3],
}

fn main() {}
