//! What a launch costs above a bare `cuLaunchKernel`.

use std::ffi::{CString, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use cudarc::driver::sys;
use warpweft::__private::{Kernel, launch};
use warpweft::prelude::*;

use super::{gpu, kernel};

const BATCH: u32 = 300;
const PAIRS: usize = 50;

/// A function and stream of the bare driver API in the current context.
struct Bare {
    function: sys::CUfunction,
    stream: sys::CUstream,
}

impl Bare {
    /// Loads the image a second time. The primary context is current, since this crate has just used it.
    fn new(symbol: &str) -> Self {
        let image = CString::new(&include_bytes!("kernels.ptx")[..]).expect("no NUL");
        let symbol = CString::new(symbol).expect("no NUL");
        let (mut module, mut function, mut stream) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the pointer is valid for a write; the image ends in NUL.
        let loaded = unsafe { sys::cuModuleLoadData(&mut module, image.as_ptr().cast()) };
        assert_eq!(loaded, sys::CUresult::CUDA_SUCCESS);
        // SAFETY: the pointer is valid for a write; the name ends in NUL.
        let found = unsafe { sys::cuModuleGetFunction(&mut function, module, symbol.as_ptr()) };
        assert_eq!(found, sys::CUresult::CUDA_SUCCESS);
        // SAFETY: the pointer is valid for a write.
        let made = unsafe { sys::cuStreamCreate(&mut stream, 1) };
        assert_eq!(made, sys::CUresult::CUDA_SUCCESS);
        Self { function, stream }
    }

    fn launch(&self, words: &mut [*mut c_void]) {
        // SAFETY: function and stream are live; the words are those of the function.
        let result = unsafe {
            sys::cuLaunchKernel(
                self.function,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                self.stream,
                words.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
    }

    fn synchronize(&self) {
        // SAFETY: the stream is live.
        unsafe { sys::cuStreamSynchronize(self.stream) };
    }
}

fn batch(mut one: impl FnMut(), wait: impl FnOnce()) -> Duration {
    let start = Instant::now();
    for _ in 0..BATCH {
        one();
    }
    let took = start.elapsed();
    wait();
    took
}

/// Prints the medians of paired batches, in nanoseconds per launch.
fn compare(name: &str, stream: &Stream, bare: &Bare, words: usize, mut ours: impl FnMut()) -> f64 {
    let mut values = [0_u64; 64];
    let mut pointers: Vec<*mut c_void> =
        values.iter_mut().take(words).map(|v| ptr::from_mut(v).cast()).collect();
    let per_launch = |time: Duration| time.as_nanos() as f64 / f64::from(BATCH);
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for pair in 0..PAIRS + 5 {
        let run_bare =
            |pointers: &mut Vec<*mut c_void>| batch(|| bare.launch(pointers), || bare.synchronize());
        let mut run_ours = || batch(&mut ours, || stream.synchronize().expect("synchronize"));
        let (bare, ours) = if pair % 2 == 0 {
            let bare = run_bare(&mut pointers);
            (bare, run_ours())
        } else {
            let ours = run_ours();
            (run_bare(&mut pointers), ours)
        };
        if pair >= 5 {
            pairs.push((per_launch(bare), per_launch(ours)));
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let bare = median(pairs.iter().map(|p| p.0).collect());
    let ours = median(pairs.iter().map(|p| p.1).collect());
    let more = median(pairs.iter().map(|p| p.1 - p.0).collect());
    println!("{name}: bare {bare:.0} ns, ours {ours:.0} ns, median difference {more:.0} ns");
    more
}

#[test]
#[ignore = "a measurement: run it alone, in release"]
fn launch_overhead() {
    static EMPTY: Kernel = kernel("empty_0");
    static SCALARS: Kernel = kernel("empty_16_scalars");
    static FOUR: Kernel = kernel("empty_4_buffers");
    static SIXTEEN: Kernel = kernel("empty_16_buffers");
    type Scalars = (u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);
    type Four<'a> = (f32, &'a [f32], &'a [f32], &'a [f32], &'a [f32]);
    type S<'a> = &'a [f32];
    type Sixteen<'a> = (
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
        S<'a>,
    );
    let Some(gpu) = gpu("launch_overhead") else { return };
    let stream = gpu.stream();
    let grid = Grid::new(1, 32);
    let b: Vec<Buffer<f32>> = (0..16).map(|_| stream.zeros(100).expect("zeros")).collect();

    let none = compare("no argument", &stream, &Bare::new("empty_0"), 0, || {
        launch::<(), _>(&stream, grid, &EMPTY, (), |_| ()).expect("launch");
    });
    let scalars = compare("16 scalars", &stream, &Bare::new("empty_16_scalars"), 16, || {
        let hosts = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        launch::<Scalars, _>(&stream, grid, &SCALARS, hosts, |_| ()).expect("launch");
    });
    let four = compare("4 buffers and a scalar", &stream, &Bare::new("empty_4_buffers"), 9, || {
        launch::<Four, _>(&stream, grid, &FOUR, (1.0, &b[0], &b[1], &b[2], &b[3]), |_| ()).expect("launch");
    });
    let sixteen = compare("16 buffers", &stream, &Bare::new("empty_16_buffers"), 32, || {
        let hosts = (
            &*b[0], &*b[1], &*b[2], &*b[3], &*b[4], &*b[5], &*b[6], &*b[7], &*b[8], &*b[9], &*b[10], &*b[11],
            &*b[12], &*b[13], &*b[14], &*b[15],
        );
        launch::<Sixteen, _>(&stream, grid, &SIXTEEN, hosts, |_| ()).expect("launch");
    });
    assert!(none <= 150.0 && scalars <= 150.0 && four <= 150.0 && sixteen <= 300.0, "see the figures above");
}
