//! What kernels may be written with: Rust's items, operators and rules, the same on every device.

use std::collections::HashMap;
use std::ops::{Add, Mul};

use warpweft::prelude::*;

/// Runs a kernel with one output per thread.
macro_rules! outputs {
    ($device:expr, $kernel:ident, $len:expr $(, $argument:expr)*) => {{
        let stream = $device.stream()?;
        let mut out = stream.zeros($len)?;
        $kernel::launch(&stream, Grid::cover($len), $($argument,)* &mut out)?;
        stream.download(&out)?
    }};
}

mod shapes {
    //! An inline module with private device items.

    use warpweft::prelude::*;

    #[device]
    const SIDES: u32 = 4;

    #[device]
    fn scale(value: u32) -> u32 {
        value * SIDES
    }

    #[kernel]
    pub fn scaled(mut out: DisjointSlice<u32>) {
        let i = thread::index();
        if let Some(out) = out.get_mut(&i) {
            *out = scale(i.get() as u32) + super::OFFSET;
        }
    }
}
use shapes::scaled;

#[device]
const OFFSET: u32 = 7;

#[warpweft::test]
fn modules_and_constants(device: &Device) -> warpweft::Result<()> {
    let expected: Vec<u32> = (0..100).map(|i| 4 * i + 7).collect();
    assert_eq!(outputs!(device, scaled, 100), expected);
    // A host item beside the kernels, which the device never sees.
    assert_eq!(HashMap::from([(OFFSET, "offset")]).len(), 1);
    Ok(())
}

/// A struct with methods, operators and a trait.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[device]
trait Square: Sized {
    fn squared(self) -> Self;
}

#[device]
impl<T: Mul<Output = T> + Copy> Square for T {
    fn squared(self) -> Self {
        self * self
    }
}

#[kernel]
fn squares(offset: Complex, mut out: DisjointSlice<Complex>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        let z = Complex { re: i.get() as f32, im: 1.0 };
        *out = (z + offset).squared();
    }
}

#[warpweft::test]
fn structs_operators_and_traits(device: &Device) -> warpweft::Result<()> {
    let offset = Complex { re: 0.5, im: -2.0 };
    let expected: Vec<Complex> =
        (0..65_u8).map(|i| (Complex { re: f32::from(i), im: 1.0 } + offset).squared()).collect();
    assert_eq!(outputs!(device, squares, 65, offset), expected);
    Ok(())
}

#[device]
fn apply<T: Copy, R>(value: T, operation: impl Fn(T) -> R) -> R {
    operation(value)
}

#[device]
fn largest<const N: usize>(values: [i32; N]) -> i32 {
    values.iter().copied().fold(i32::MIN, i32::max)
}

#[kernel]
fn generics(factor: i32, mut out: DisjointSlice<i32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        let value = i.get() as i32 - 50;
        let scaled = apply(value, |value| value * factor);
        *out = largest([scaled, apply(value as f32, |value| value as i32 - 1), -30]);
    }
}

#[warpweft::test]
fn generics_and_closures(device: &Device) -> warpweft::Result<()> {
    let expected: Vec<i32> = (-50..50).map(|value: i32| (value * 3).max(value - 1).max(-30)).collect();
    assert_eq!(outputs!(device, generics, 100, 3), expected);
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
enum Step {
    Up(u32),
    Half,
    Stay,
}

#[kernel]
fn control_flow(mut out: DisjointSlice<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        let mut value = i.get() as u32;
        let steps = [Step::Up(3), Step::Half, Step::Stay, Step::Up(10)];
        'all: loop {
            for step in steps {
                value = match step {
                    Step::Up(by) if value % 2 == 0 => value + by,
                    Step::Up(_) | Step::Stay => value + 1,
                    Step::Half => value / 2,
                };
                if value > 100 {
                    break 'all;
                }
            }
            value += 70;
        }
        *out = value;
    }
}

#[warpweft::test]
fn enums_matches_and_loops(device: &Device) -> warpweft::Result<()> {
    let expected = |start: u32| {
        let mut value = start;
        loop {
            for step in 0..4 {
                value = match step {
                    1 => value / 2,
                    0 if value % 2 == 0 => value + 3,
                    3 if value % 2 == 0 => value + 10,
                    _ => value + 1,
                };
                if value > 100 {
                    return value;
                }
            }
            value += 70;
        }
    };
    assert_eq!(outputs!(device, control_flow, 99), (0..99).map(expected).collect::<Vec<u32>>());
    Ok(())
}

#[kernel]
fn integers(x: i32, y: u16, z: u64, mut out: DisjointSlice<i64>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out = match i.get() {
            0 => (y < 5) as i64,
            1 => (x > 0) as i64,
            2 => (x as u32 > 0) as i64,
            3 => (z * 2) as i64,
            4 => (x % 7) as i64,
            5 => x.rem_euclid(7) as i64,
            6 => (x >> 1) as i64,
            7 => (x as u8) as i64,
            8 => (x as f32 * 1e30) as i64,
            9 => f32::NAN as i64,
            10 => x.wrapping_mul(i32::MAX) as i64,
            11 => x.checked_div(x + 11).map_or(-1, i64::from),
            12 => z.leading_zeros() as i64 + z.count_ones() as i64,
            13 => {
                // 11^19 mod 1009, step by step.
                let mut power = z - z + 1;
                for _ in 0..19 {
                    power = power * 11 % 1009;
                }
                power as i64
            }
            _ => i64::MIN,
        };
    }
}

#[warpweft::test]
fn integer_rules_are_rusts(device: &Device) -> warpweft::Result<()> {
    let (x, y, z) = (-11_i32, 40_000_u16, 1_u64 << 40);
    let expected = [
        0,
        0,
        1,
        1 << 41,
        -4,
        3,
        -6,
        245,
        i64::MIN,
        0,
        i64::from(x.wrapping_mul(i32::MAX)),
        -1,
        23 + 1,
        (0..19).fold(1, |power, _| power * 11 % 1009),
        i64::MIN,
    ];
    assert_eq!(outputs!(device, integers, expected.len(), x, y, z), expected);
    Ok(())
}

#[kernel]
fn floats(x: f32, nan: f32, mut out: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out = match i.get() {
            0 => x.max(nan),
            1 => nan.max(x),
            2 => x.min(nan),
            3 => nan.min(x),
            4 => x.sqrt(),
            5 => x.floor(),
            6 => (-x).trunc(),
            7 => (x + 0.5).round(),
            8 => x.mul_add(x, -1.0),
            9 => (-x).abs(),
            _ => 0.0,
        };
    }
}

#[warpweft::test]
fn float_rules_are_rusts(device: &Device) -> warpweft::Result<()> {
    let x = 2.5_f32;
    let expected = [x, x, x, x, x.sqrt(), 2.0, -2.0, 3.0, 5.25, 2.5, 0.0];
    assert_eq!(outputs!(device, floats, expected.len(), x, f32::NAN), expected);
    Ok(())
}
