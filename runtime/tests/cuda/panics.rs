//! Panics in kernels: an error of the next synchronisation, and nothing else.

use warpweft::prelude::*;
use warpweft::{Error, KernelPanic, Result};

use super::{gpu, panics, works};

fn panic_of<T: std::fmt::Debug>(result: Result<T>) -> KernelPanic {
    match result {
        Err(Error::KernelPanic(panic)) => *panic,
        other => panic!("no panic: {other:?}"),
    }
}

#[test]
fn a_panic_tells_kernel_place_block_and_thread() {
    let Some(gpu) = gpu("a_panic_tells") else { return };
    let stream = gpu.stream();
    works(&stream);
    panics(&stream, Grid::new((1, 1), 32), 11).expect("the launch is in order");
    let panic = panic_of(stream.synchronize());
    assert_eq!(
        (panic.kernel.as_str(), panic.file.as_str(), panic.line, panic.column),
        ("panics", "k.rs", 11, 5)
    );
    assert_eq!((panic.block, panic.thread, panic.message.as_str()), ([0, 0, 0], [3, 0, 0], "fuel"));
    assert!(panic.launch > 0);
    stream.synchronize().expect("reported once");
    works(&stream);
    panics(&stream, Grid::new((2, 3), 32), 12).expect("launch");
    assert_eq!(panic_of(stream.download(&gpu.stream().zeros::<u8>(4).expect("zeros"))).line, 12);
    works(&stream);
}

#[test]
fn a_panic_is_told_to_the_stream_of_its_launch() {
    let Some(gpu) = gpu("a_panic_is_told_to_the_stream") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    panics(&a, Grid::new(1, 32), 1).expect("launch");
    a.record().and_then(|event| b.wait(&event)).expect("b comes after a");
    b.synchronize().expect("not b's panic");
    works(&b);
    assert_eq!(panic_of(a.synchronize()).line, 1);
}

#[test]
fn an_event_reports_the_panics_before_it() {
    let Some(gpu) = gpu("an_event_reports") else { return };
    let stream = gpu.stream();
    panics(&stream, Grid::new(1, 32), 7).expect("launch");
    let event = stream.record().expect("record");
    assert_eq!(panic_of(event.synchronize()).line, 7);
    event.synchronize().expect("reported once");
}

#[test]
fn a_panic_outlives_its_stream() {
    let Some(gpu) = gpu("a_panic_outlives_its_stream") else { return };
    let (a, b) = (gpu.stream(), gpu.stream());
    panics(&a, Grid::new(1, 32), 3).expect("launch");
    a.record().and_then(|event| b.wait(&event)).expect("b comes after a");
    drop(a);
    assert_eq!(panic_of(b.synchronize()).line, 3);
    works(&b);
}

#[test]
fn a_thousand_panics_are_a_thousand_errors() {
    let Some(gpu) = gpu("a_thousand_panics") else { return };
    let stream = gpu.stream();
    for line in 1..=1000 {
        panics(&stream, Grid::new(4, 64), line).expect("launch");
        assert_eq!(panic_of(stream.synchronize()).line, line);
    }
}

#[test]
fn the_record_follows_the_context() {
    let Some(gpu) = gpu("the_record_follows_the_context") else { return };
    let stream = gpu.stream();
    panics(&stream, Grid::new(1, 32), 1).expect("launch");
    assert_eq!(panic_of(stream.synchronize()).line, 1);
    gpu.device().reset().expect("reset");
    let stream = gpu.stream();
    panics(&stream, Grid::new(1, 32), 2).expect("launch");
    assert_eq!(panic_of(stream.synchronize()).line, 2);
    works(&stream);
}
