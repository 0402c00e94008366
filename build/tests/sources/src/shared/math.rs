//! Shared by programs.
use std::fmt;
use warpweft::prelude::*;
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Vec2 { pub x: f32, pub y: f32 }
#[device]
pub fn length(v: Vec2) -> f32 { v.x * v.x + v.y * v.y }
pub fn print(v: Vec2) { println!("{}", v.x); }
impl fmt::Display for Vec2 { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("v") } }
#[macro_export] macro_rules! square { ($e:expr) => { $e * $e } }
