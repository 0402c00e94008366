//! The mathematical functions, within the errors that their documentation promises.

use warpweft::Result;
use warpweft::prelude::*;

/// Functions of one `f32`, in the order of [`SINGLE`].
#[kernel]
fn single(x: &[f32], mut out: DisjointSlice<[f32; 28]>) {
    let i = thread::index();
    let Some(out) = out.get_mut(&i) else { return };
    let x = x[&i];
    let a = x.abs();
    *out = [
        a.sqrt(),
        x.floor(),
        x.ceil(),
        x.round(),
        x.trunc(),
        x.mul_add(x, -1.0),
        x.rem(0.7),
        a.rsqrt(),
        x.cbrt(),
        x.sin(),
        x.cos(),
        x.tan(),
        (x / 200.0).asin(),
        (x / 200.0).acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.exp(),
        x.exp2(),
        x.exp_m1(),
        a.ln(),
        a.log2(),
        a.log10(),
        a.ln_1p(),
        a.powf(1.7),
        x.atan2(0.3),
        x.hypot(4.0),
    ];
}

/// The same of one `f64`, in `f64`: the reference of `single`, and on the GPU something to compare with the CPU.
#[kernel]
fn double(x: &[f64], mut out: DisjointSlice<[f64; 28]>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out = reference(x[&i]);
    }
}

#[device]
fn reference(x: f64) -> [f64; 28] {
    let a = x.abs();
    [
        a.sqrt(),
        x.floor(),
        x.ceil(),
        x.round(),
        x.trunc(),
        x.mul_add(x, -1.0),
        x.rem(0.7_f32 as f64),
        a.rsqrt(),
        x.cbrt(),
        x.sin(),
        x.cos(),
        x.tan(),
        (x / 200.0).asin(),
        (x / 200.0).acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.exp(),
        x.exp2(),
        x.exp_m1(),
        a.ln(),
        a.log2(),
        a.log10(),
        a.ln_1p(),
        a.powf(1.7_f32 as f64),
        x.atan2(0.3_f32 as f64),
        x.hypot(4.0),
    ]
}

/// Names, and greatest errors in units in the last place: documented for `f32`, and for `f64` (0.5: exact). The
/// arguments of asin and acos are rounded themselves, which costs up to one more.
const FUNCTIONS: [(&str, f64, f64); 28] = [
    ("sqrt", 0.5, 0.5),
    ("floor", 0.0, 0.0),
    ("ceil", 0.0, 0.0),
    ("round", 0.0, 0.0),
    ("trunc", 0.0, 0.0),
    ("mul_add", 0.5, 0.5),
    ("rem", 0.0, 0.0),
    ("rsqrt", 2.0, 1.0),
    ("cbrt", 1.0, 1.0),
    ("sin", 2.0, 2.0),
    ("cos", 2.0, 2.0),
    ("tan", 4.0, 2.0),
    ("asin", 4.0, 2.0),
    ("acos", 4.0, 2.0),
    ("atan", 2.0, 2.0),
    ("sinh", 3.0, 2.0),
    ("cosh", 2.0, 1.0),
    ("tanh", 2.0, 1.0),
    ("exp", 2.0, 1.0),
    ("exp2", 2.0, 1.0),
    ("exp_m1", 1.0, 1.0),
    ("ln", 1.0, 1.0),
    ("log2", 1.0, 1.0),
    ("log10", 2.0, 1.0),
    ("ln_1p", 1.0, 1.0),
    ("powf", 4.0, 2.0),
    ("atan2", 3.0, 2.0),
    ("hypot", 3.0, 2.0),
];

/// Arguments from tiny to 80, of both signs.
fn arguments() -> Vec<f32> {
    let sizes =
        (-30..=6).flat_map(|e| [1.0, 1.1, 1.25, 1.33, 1.618, 1.75, 1.9999].map(|m: f32| m * 2.0_f32.powi(e)));
    sizes.filter(|&x| x <= 80.0).flat_map(|x| [x, -x]).chain([0.5, 1.5, 2.5, -0.5, -2.5]).collect()
}

#[warpweft::test]
fn single_precision_is_as_documented(device: &Device) -> Result<()> {
    let (stream, x) = (device.stream()?, arguments());
    let mut out = stream.zeros::<[f32; 28]>(x.len())?;
    single::launch(&stream, Grid::cover(x.len()), &stream.upload(&x)?, &mut out)?;
    for (x, got) in x.iter().zip(stream.download(&out)?) {
        for ((got, want), (name, ulps, _)) in got.into_iter().zip(reference(f64::from(*x))).zip(FUNCTIONS) {
            let rounded = want as f32;
            let ulp = f64::from(rounded.abs().next_up() - rounded.abs());
            let error = (f64::from(got) - want).abs() / ulp;
            // The reference may itself lie half an ulp beside the nearest number.
            assert!(error <= ulps.max(0.5), "{name}({x}) = {got}, which is {error} ulps from {want}");
        }
    }
    Ok(())
}

#[warpweft::test]
fn double_precision_is_as_documented(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let x: Vec<f64> = arguments().into_iter().map(f64::from).collect();
    let mut out = stream.zeros::<[f64; 28]>(x.len())?;
    double::launch(&stream, Grid::cover(x.len()), &stream.upload(&x)?, &mut out)?;
    for (x, got) in x.iter().zip(stream.download(&out)?) {
        for ((got, want), (name, _, ulps)) in got.into_iter().zip(reference(*x)).zip(FUNCTIONS) {
            let ulp = want.abs().next_up() - want.abs();
            let error = (got - want).abs() / ulp;
            // Exact functions agree; for the others the CPU has an error of its own of up to one ulp.
            let allowed = if ulps <= 0.5 { 0.0 } else { ulps + 1.0 };
            assert!(error <= allowed, "{name}({x}) = {got}, which is {error} ulps from {want}");
        }
    }
    Ok(())
}
