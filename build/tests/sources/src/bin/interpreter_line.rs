#!/usr/bin/env größe
//! ß
use warpweft::prelude::*;
fn host() { let s = "a\
  b"; }
/* ß */ #[kernel]
fn k(mut y: DisjointSlice<f32>) {
  let ß = "größe"; if let Some(y) = y.get_mut(&thread::index()) { *y = ß.len() as f32 }
}
fn main() {}
