#[kernel]
pub fn refused(x: &mut [f32], tile: Shared<[f32; 4]>, _: Vec<u8>) -> f32 {
    x[0]
}
