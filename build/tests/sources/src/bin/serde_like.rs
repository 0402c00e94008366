use warpweft::prelude::*;
use serde::{Deserialize, Serialize};
#[derive(Clone, Copy, Serialize, serde::Deserialize, Element)]
#[cfg_attr(feature = "on", derive(Debug, Serialize), serde(rename_all = "camelCase"))]
#[repr(C)]
#[serde(deny_unknown_fields)]
/// Doc.
struct P { #[serde(default, rename = "ß")] a: f32, #[doc = include_str!("none.md")] b: u32 }
#[device]
#[derive(Clone, Copy, strum::Display, Default)]
enum E { #[default] #[strum(serialize = "a")] A, B }
#[kernel]
#[allow(clippy::needless_range_loop)]
#[tracing::instrument]
fn k(p: &[P], mut y: DisjointSlice<f32>) {
    let e = E::default();
    #[unroll(4)]
    for i in 0..4 { if let (E::A, Some(y)) = (e, y.get_mut(&thread::index())) { *y += p[i].a; } }
}
fn main() {}
