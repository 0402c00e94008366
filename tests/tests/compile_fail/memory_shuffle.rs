use warpweft::prelude::*;

#[kernel]
fn halves(x: &[f32], flags: &[u16]) {
    let i = thread::index();
    let _ = warp::shuffle_down(warp::ALL, x[&i], 16);
    // SAFETY: one warp, and every lane comes here.
    let _ = unsafe { warp::shuffle(warp::ALL, flags[&i], 1) };
}

fn main() {}
