use warpweft::prelude::*;
use demo::{hosted, Pair, shapes::{self, area}};
#[kernel]
fn k(p: Pair, mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { *y = area(p) + shapes::area(p) + demo::SCALE; } }
fn main() { hosted(); }
