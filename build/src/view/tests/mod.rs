//! Tests of the device view.

mod support;

use support::Package;

#[test]
fn look() {
    let package = Package::new(&[
        (
            "src/main.rs",
            r#"//! Doc.
#![deny(warnings)]
use std::collections::HashMap;
use std::ops::{Add, Mul as M};
use warpweft::prelude::*;
mod geometry;
use geometry::{Vec3, host_only, self};

/// A kernel.
#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let ß = "größe"; let i = thread::index();
    if let Some(y) = y.get_mut(&i) { *y = a * x[&i] + *y; }
}

#[derive(Clone, Copy, serde::Serialize, KernelArg)]
#[repr(C)]
struct P<T> { #[serde(skip)] /* ü */ a: T }

mod inner { use super::*; #[kernel] fn k(x: f32) {} fn host() {} } fn main() { saxpy::launch(); }
impl<T> P<T> { #[device] fn a(&self) {} fn b(&self) { println!("x") } }
"#,
        ),
        (
            "src/geometry.rs",
            "#[device] pub struct Vec3(f32);\npub fn host_only() {}\npub fn also_host() {}\n",
        ),
    ]);
    let view = package.view("src/main.rs");
    for file in &view.files {
        println!("--- {}\n{}", file.relative.display(), file.text);
    }
    println!("{:#?} {:#?}", view.kernels, view.device_items);
}
