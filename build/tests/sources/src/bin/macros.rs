use warpweft::prelude::*;
macro_rules! ops { ($($name:ident $op:tt),*) => { $( #[warpweft::device] fn $name(a: f32, b: f32) -> f32 { a $op b } )* } }
#[device] mod made { ops!(add +, mul *); pub fn both(a: f32) -> f32 { mul(add(a, a), a) } }
macro_rules! twice { ($e:expr) => {{ $e; $e }} }
macro_rules! host { () => { println!("x") } }
#[kernel]
fn k(x: &[f32], mut y: DisjointSlice<f32>) { if let Some(y) = y.get_mut(&thread::index()) { twice!(*y += made::both(x[0])); assert!(*y > 0.0, "{}", 1); } }
fn main() { host!() }
