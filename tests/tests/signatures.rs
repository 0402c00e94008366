//! Kernels of every signature that `#[kernel]` accepts, launched on every device there is.

use warpweft::device::view::DisjointSlice as Out;
use warpweft::prelude::*;
use warpweft::{DevicePtr, Result};

/// Runs `launch` over `n` elements of output and returns them.
fn output(
    device: &Device,
    n: usize,
    launch: impl FnOnce(&Stream, &mut Buffer<f32>) -> Result<()>,
) -> Result<Vec<f32>> {
    let stream = device.stream()?;
    let mut y = stream.zeros::<f32>(n)?;
    launch(&stream, &mut y)?;
    stream.synchronize()?;
    stream.download(&y)
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Line<T> {
    slope: T,
    steep: bool,
    offset: T,
}

/// A struct taken apart, a parameter without a name, and names that the launcher uses itself.
#[kernel]
fn hidden(
    Line { slope, steep, offset }: Line<f32>,
    _: u32,
    stream: &[f32],
    grid: f32,
    hidden: f32,
    mut p0: DisjointSlice<f32>,
) {
    let i = thread::index();
    if let Some(y) = p0.get_mut(&i) {
        let line = slope * stream[&i] + offset;
        *y = if steep { 100.0 * line } else { line } + grid + hidden;
    }
}

#[warpweft::test]
fn patterns_and_names(device: &Device) -> Result<()> {
    let y = output(device, 4, |stream, y| {
        let x = stream.upload(&[0.0_f32, 1.0, 2.0, 3.0])?;
        let line = Line { slope: 2.0, steep: true, offset: 1.0 };
        hidden::launch(stream, Grid::cover(4), line, 7, &x, 0.25, 0.5, y)
    })?;
    assert_eq!(y, [100.75, 300.75, 500.75, 700.75]);
    Ok(())
}

#[device]
type Row<'a> = &'a [f32];

/// Types by other names, and lifetimes that are written out.
#[kernel]
fn renamed<'a, 'b>(x: Row<'a>, z: &'b [f32], mut y: Out<'_, f32>)
where
    'a: 'b,
{
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = longer(x, z)[i.get()];
    }
}

#[device]
fn longer<'b>(x: &'b [f32], z: &'b [f32]) -> &'b [f32] {
    if x.len() > z.len() { x } else { z }
}

#[warpweft::test]
fn aliases_and_lifetimes(device: &Device) -> Result<()> {
    let y = output(device, 3, |stream, y| {
        let (x, z) = (stream.upload(&[1.0_f32])?, stream.upload(&[4.0_f32, 5.0, 6.0])?);
        renamed::launch(stream, Grid::cover(3), &x, &z, y)
    })?;
    assert_eq!(y, [4.0, 5.0, 6.0]);
    Ok(())
}

mod deep {
    use super::*;

    const OFFSET: f32 = 10.0;

    pub mod deeper {
        use super::*;

        #[device]
        trait Shift {
            fn shift(self) -> Self;
        }

        #[device]
        impl Shift for f32 {
            fn shift(self) -> Self {
                self + super::offset()
            }
        }

        /// A name that is a keyword, in a module of a module.
        #[kernel]
        pub(in crate::deep) fn r#loop(r#type: f32, mut y: DisjointSlice<f32>) {
            if let Some(y) = y.get_mut(&thread::index()) {
                *y = r#type.shift();
            }
        }
    }

    #[device]
    fn offset() -> f32 {
        LIMITED + OFFSET_OF_DEVICE
    }

    #[device]
    const LIMITED: f32 = 0.5;
    #[device]
    const OFFSET_OF_DEVICE: f32 = 10.0;

    #[warpweft::test]
    fn modules_and_keywords(device: &Device) -> Result<()> {
        let y = output(device, 2, |stream, y| deeper::r#loop::launch(stream, Grid::cover(2), 1.0, y))?;
        assert_eq!(y, [1.5 + OFFSET; 2]);
        Ok(())
    }

    #[test]
    fn a_kernel_knows_its_name_and_place() {
        assert_eq!(deeper::r#loop::KERNEL.name(), "loop");
        assert_eq!(deeper::r#loop::KERNEL.module_path(), "signatures::deep::deeper");
        assert_eq!(deeper::r#loop::KERNEL.image().is_some(), cfg!(not(sim)));
    }
}

/// Adds one to `n` floats.
///
/// # Safety
/// 1. `y` points to `n` floats that nothing else uses during the launch.
#[kernel]
unsafe fn add_one(y: *mut f32, n: usize) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: i < n, so that the address lies within the floats (duty 1).
        let y = unsafe { y.add(i) };
        // SAFETY: each thread has an i of its own, and nothing else uses the floats (duty 1).
        unsafe { *y += 1.0 };
    }
}

#[warpweft::test]
fn raw_pointers(device: &Device) -> Result<()> {
    let y = output(device, 300, |stream, y| {
        let pointer: DevicePtr<f32> = y.device_ptr();
        // SAFETY: the buffer has 300 elements and nothing else uses it.
        unsafe { add_one::launch(stream, Grid::cover(300), pointer, 300) }
    })?;
    assert_eq!(y, [1.0; 300]);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    id: u32,
}

#[kernel]
fn drift(step: f32, mut particles: DisjointSlice<Particle>) {
    if let Some(particle) = particles.get_mut(&thread::index()) {
        particle.position[0] += step;
        particle.id += 1;
    }
}

#[warpweft::test]
fn structs_in_buffers(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut particles = stream.upload(&[Particle { position: [1.0, 2.0, 3.0], id: 4 }; 5])?;
    drift::launch(&stream, Grid::cover(5), 0.5, &mut particles)?;
    let after = stream.download(&particles)?;
    assert_eq!(after, [Particle { position: [1.5, 2.0, 3.0], id: 5 }; 5]);
    Ok(())
}

#[kernel]
fn rotate(shared: Shared<[f32; 64]>, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    let mut phase = shared.phases();
    phase.arrays().set(x[&i]);
    let mut phase = phase.sync();
    y[&i] = phase.arrays()[(thread::rank() as usize + 1) % 64];
}

#[kernel]
fn rotate_any(x: &[f32], mut y: DisjointSlice<f32>, shared: Shared<[f32]>) {
    let i = thread::index();
    let mut phase = shared.phases();
    phase.arrays().set(x[&i]);
    let mut phase = phase.sync();
    let tile = phase.arrays();
    y[&i] = tile[(thread::rank() as usize + 1) % tile.len()];
}

#[warpweft::test]
fn shared_memory(device: &Device) -> Result<()> {
    let x: Vec<f32> = (0..128_u8).map(f32::from).collect();
    let rotated = |block: usize| -> Vec<f32> {
        (0..128).map(|i| x[i / block * block + (i % block + 1) % block]).collect()
    };
    let y =
        output(device, 128, |stream, y| rotate::launch(stream, Grid::new(2, 64), &stream.upload(&x)?, y))?;
    assert_eq!(y, rotated(64));
    let y = output(device, 128, |stream, y| {
        rotate_any::launch(stream, Grid::new(4, 32), &stream.upload(&x)?, y, 32)
    })?;
    assert_eq!(y, rotated(32));
    Ok(())
}

/// As many parameters as there can be.
#[allow(clippy::too_many_arguments)]
#[kernel]
fn twenty(
    a: u8,
    b: i8,
    c: u16,
    d: i16,
    e: u32,
    f: i32,
    g: u64,
    h: i64,
    i: usize,
    j: isize,
    k: f32,
    l: f64,
    m: bool,
    n: [u8; 3],
    o: [f64; 2],
    p: Line<f64>,
    q: u128,
    r: &[f32],
    s: &[u64],
    mut t: DisjointSlice<f32>,
) {
    let rank = thread::index();
    if let Some(t) = t.get_mut(&rank) {
        let small = a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f as f64 + g as f64 + h as f64;
        let sizes = i as f64 + j as f64 + k as f64 + l + if m { 1000.0 } else { 0.0 };
        let arrays = (n[0] + n[1] + n[2]) as f64 + o[0] + o[1] + p.slope + p.offset + q as u64 as f64;
        *t = (small + sizes + arrays + s[1] as f64) as f32 + r[&rank];
    }
}

#[warpweft::test]
fn twenty_parameters(device: &Device) -> Result<()> {
    let y = output(device, 2, |stream, y| {
        let (r, s) = (stream.upload(&[0.25_f32, 0.5])?, stream.upload(&[7_u64, 8])?);
        let p = Line { slope: 0.125, steep: false, offset: 2.0 };
        let grid = Grid::cover(2);
        let (n, o) = ([1, 2, 3], [4.0, 5.0]);
        twenty::launch(stream, grid, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6.0, 7.0, true, n, o, p, 9, &r, &s, y)
    })?;
    let sum = 0.0 - 1.0 + 1.0 + 6.0 + 7.0 + 1000.0 + 6.0 + 9.0 + 2.125 + 9.0 + 8.0;
    assert_eq!(y, [sum + 0.25, sum + 0.5]);
    Ok(())
}

/// Two kernels of one name, of which each build has one.
#[kernel]
#[cfg(debug_assertions)]
fn profile(mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 1.0;
    }
}

#[kernel]
#[cfg(not(debug_assertions))]
fn profile(mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 2.0;
    }
}

#[warpweft::test]
fn cfgs(device: &Device) -> Result<()> {
    let y = output(device, 1, |stream, y| profile::launch(stream, Grid::cover(1), y))?;
    assert_eq!(y, [if cfg!(debug_assertions) { 1.0 } else { 2.0 }]);
    Ok(())
}

#[warpweft::test]
#[should_panic(expected = "as it should")]
fn tests_that_should_panic(_: &Device) {
    panic!("as it should");
}

#[warpweft::test]
#[ignore = "shows that the attribute is kept"]
fn tests_that_are_ignored(_: &Device) {
    panic!("it was not ignored");
}
