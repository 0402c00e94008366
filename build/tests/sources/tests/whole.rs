#[path = "../src/shared/math.rs"] mod math; use math::*; use demo::SCALE;
#[warpweft::kernel] unsafe fn k(v: Vec2, p: u64) { unsafe { *(p as *mut f32) = length(v) * SCALE } }
