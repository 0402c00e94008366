use warpweft::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    alive: bool,
}

fn main() {}
