use warpweft::prelude::*;
#[device] #[derive(Clone, Copy)] struct Grid<'a, const N: usize> { data: &'a [f32] }
impl<'a, const N: usize> Grid<'a, N> {
    #[device] fn at(self, x: usize, y: usize) -> f32 { self.data[y * N + x] }
    fn load(path: &std::path::Path) -> Vec<f32> { vec![] }
    #[device] const AREA: usize = N * N;
}
#[device] trait Shape { fn area(&self) -> f32; fn twice(&self) -> f32 { self.area() * 2.0 } }
#[derive(Clone, Copy, KernelArg)] #[repr(C)] struct Square<T>(T);
#[device] impl Shape for Square<f32> { fn area(&self) -> f32 { self.0 * self.0 } }
#[device] fn apply<S: Shape, F: Fn(f32) -> f32>(s: &S, f: F) -> f32 { f(s.twice()) }
#[device] type Real = f32;
#[device] static TABLE: [Real; 2] = [1.0, 2.0];
#[device] const N: usize = 4;
#[kernel]
fn k<'a>(s: Square<f32>, data: &'a [f32], mut y: DisjointSlice<'a, Real>) {
    let g = Grid::<N> { data };
    if let Some(y) = y.get_mut(&thread::index()) { *y = apply(&s, |a| a + g.at(1, 2)) + TABLE[Grid::<N>::AREA % 2]; }
}
fn main() {}
