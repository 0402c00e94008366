//! The host side on a GPU, with kernels written in PTX, so that no device compiler is needed.
//!
//! Without a GPU each test says that it was skipped. The tests take turns, since some of them reset the device.
#![cfg(not(sim))]

mod faults;
mod order;
mod overhead;
mod panics;
mod reset;
mod values;

use std::sync::{Mutex, MutexGuard, PoisonError};

use warpweft::__private::{Image, Kernel, launch, testing};
use warpweft::prelude::*;
use warpweft::{DeviceSlice, Result};

const IMAGE: Image = Image::new(0x7e57, include_bytes!("kernels.ptx"));

const fn kernel(name: &'static str) -> Kernel {
    Kernel::new(name, "cuda", name, Some(IMAGE))
}

static ADD: Kernel = kernel("add");
static SLOWLY: Kernel = kernel("slowly");
static PANICS: Kernel = kernel("panics");

/// A GPU, for one test at a time.
struct Gpu {
    device: Option<Device>,
    _turn: MutexGuard<'static, ()>,
}

impl Gpu {
    fn device(&self) -> &Device {
        self.device.as_ref().expect("the test has not given it up")
    }

    fn stream(&self) -> Stream {
        self.device().stream().expect("stream")
    }
}

/// Opens the GPU, or says that `test` is skipped.
fn gpu(test: &str) -> Option<Gpu> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match testing::cuda() {
        Ok(device) => Some(Gpu { device: Some(device), _turn: turn }),
        Err(reason) => {
            testing::skip(test, &reason);
            None
        }
    }
}

fn add(stream: &Stream, amount: f32, values: &mut DeviceSlice<f32>) -> Result<()> {
    let grid = Grid::cover(values.len());
    launch::<(f32, DisjointSlice<f32>), _>(stream, grid, &ADD, (amount, values), |_| unreachable!())
}

/// Waits, then makes v of 2 v + 1.
fn slowly(stream: &Stream, milliseconds: u64, values: &mut DeviceSlice<f32>) -> Result<()> {
    let (grid, hosts) = (Grid::cover(values.len()), (milliseconds * 1_000_000, values));
    launch::<(u64, DisjointSlice<f32>), _>(stream, grid, &SLOWLY, hosts, |_| unreachable!())
}

fn panics(stream: &Stream, grid: Grid, line: u32) -> Result<()> {
    launch::<(u32,), _>(stream, grid, &PANICS, (line,), |_| unreachable!())
}

/// Launches something and checks its result: the context works.
fn works(stream: &Stream) {
    let mut values = stream.upload(&[1.0_f32; 300]).expect("upload");
    add(stream, 2.0, &mut values).expect("launch");
    assert_eq!(stream.download(&values).expect("download"), [3.0; 300]);
}
