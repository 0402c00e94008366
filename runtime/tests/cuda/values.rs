//! Launches, copies and their checks.

use warpweft::__private::{Image, Kernel, launch};
use warpweft::prelude::*;
use warpweft::{Error, Limits};

use super::{ADD, add, gpu, kernel, works};

#[test]
fn a_kernel_computes_and_parts_of_buffers_are_parts() {
    let Some(gpu) = gpu("a_kernel_computes") else { return };
    let stream = gpu.stream();
    let host: Vec<f32> = (0..100_000).map(|i| i as f32).collect();
    let mut values = stream.upload(&host).expect("upload");
    add(&stream, 0.5, &mut values).expect("launch");
    add(&stream, 100.0, &mut values.slice_mut(10..20).expect("part")).expect("launch");
    let expected: Vec<f32> =
        host.iter().map(|v| v + 0.5 + if (10.0..20.0).contains(v) { 100.0 } else { 0.0 }).collect();
    assert_eq!(stream.download(&values).expect("download"), expected);
    let copy = {
        let mut copy = stream.zeros::<f32>(10).expect("zeros");
        stream.copy(&values.slice(10..20).expect("part"), &mut copy).expect("copy");
        stream.download(&copy).expect("download")
    };
    assert_eq!(copy, expected[10..20]);
    add(&stream, 1.0, &mut stream.zeros(0).expect("nothing")).expect("a launch over nothing");
}

#[test]
fn eight_threads_launch_first_together() {
    let Some(gpu) = gpu("eight_threads_launch_first_together") else { return };
    gpu.device().reset().expect("reset");
    let stream = gpu.stream();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| works(&stream));
        }
        for _ in 0..8 {
            scope.spawn(|| works(&gpu.stream()));
        }
    });
}

#[test]
fn parameters_that_do_not_fit_the_device_code_are_found_at_the_first_launch() {
    static WRONG: Kernel =
        Kernel::new("wrong", "cuda", "add", Some(Image::new(0xbad, include_bytes!("kernels.ptx"))));
    let Some(gpu) = gpu("parameters_that_do_not_fit") else { return };
    let stream = gpu.stream();
    let result = launch::<(f64,), _>(&stream, Grid::new(1, 1), &WRONG, (1.0,), |_| ());
    let Err(Error::Parameters { expected, found, .. }) = &result else { panic!("{result:?}") };
    assert_eq!((expected.as_str(), found.as_str()), ("[4, 8, 8] bytes", "[8] bytes"));
}

#[test]
fn ptx_that_does_not_assemble_is_told_in_the_words_of_the_compiler_and_harms_nothing() {
    const BROKEN: &[u8] =
        b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  frobnicate;\n}\n";
    static BAD: Kernel = Kernel::new("bad", "cuda", "k", Some(Image::new(0xbad2, BROKEN)));
    static NEW: Kernel =
        Kernel::new("new", "cuda", "k", Some(Image::new(0xbad3, b".version 99.0\n.target sm_70\n")));
    let Some(gpu) = gpu("ptx_that_does_not_assemble") else { return };
    let stream = gpu.stream();
    for _ in 0..2 {
        let result = launch::<(), _>(&stream, Grid::new(1, 1), &BAD, (), |_| ());
        let Err(Error::Load { kernel, log, .. }) = &result else { panic!("{result:?}") };
        assert!(kernel == "bad" && log.contains("line 6"), "{log}");
    }
    let result = launch::<(), _>(&stream, Grid::new(1, 1), &NEW, (), |_| ());
    assert!(matches!(&result, Err(Error::Load { log, .. }) if log.contains("99.0")), "{result:?}");
    let missing = launch::<(), _>(&stream, Grid::new(1, 1), &MISSING, (), |_| ());
    assert!(matches!(&missing, Err(Error::Load { log, .. }) if log.contains("`absent`")), "{missing:?}");
    works(&stream);
}

static MISSING: Kernel = kernel("absent");

#[test]
fn shared_memory_is_opted_into_and_its_limit_is_told() {
    static SHARED: Kernel = kernel("shared");
    let Some(gpu) = gpu("shared_memory_is_opted_into") else { return };
    let (stream, limits) = (gpu.stream(), gpu.device().limits());
    let mut out = stream.zeros::<u32>(1).expect("zeros");
    let mut run = |words: usize| {
        let hosts = (&mut *out, words);
        launch::<(DisjointSlice<u32>, Shared<[u32]>), _>(&stream, Grid::new(1, 1), &SHARED, hosts, |_| ())?;
        Ok::<_, Error>(stream.download(&out)?[0] as usize)
    };
    // The kernel has 4 bytes of its own; the dynamic memory behind them is aligned to 16 bytes.
    let most = (limits.shared_bytes_per_block_optin - 16) / 4;
    for words in [1, 12 * 1024, 25 * 1024, most] {
        if words <= most {
            assert_eq!(run(words), Ok(words * 4));
        }
    }
    let result = run(limits.shared_bytes_per_block_optin / 4);
    let Err(Error::LaunchLimit { value, limit, .. }) = result else { panic!("{result:?}") };
    assert_eq!(limit, limits.shared_bytes_per_block_optin as u64);
    assert!((limit + 4..=limit + 16).contains(&value), "{value}");
}

#[test]
fn limits_are_checked_and_named() {
    static SMALL: Kernel = kernel("small_blocks");
    let Some(gpu) = gpu("limits_are_checked_and_named") else { return };
    let stream = gpu.stream();
    let Limits { threads_per_block, compute_capability, .. } = gpu.device().limits();
    assert!(*threads_per_block >= 1024 && *compute_capability >= (5, 0));
    let refused =
        |grid: Grid, kernel: &'static Kernel| match launch::<(), _>(&stream, grid, kernel, (), |_| ()) {
            Err(Error::LaunchLimit { field, value, limit, .. }) => (field, value, limit),
            other => panic!("{other:?}"),
        };
    assert_eq!(refused(Grid::new(1, (64, 32)), &ADD).1, 2048);
    assert_eq!(refused(Grid::new((1, 1 << 20), 1), &ADD), ("blocks of the grid along y", 1 << 20, 65_535));
    assert_eq!(refused(Grid::new(1, 65), &SMALL), ("threads of a block of this kernel", 65, 64));
    launch::<(), _>(&stream, Grid::new(1, 64), &SMALL, (), |_| ()).expect("fits");
    launch::<(), _>(&stream, Grid::new(0, 64), &SMALL, (), |_| ()).expect("nothing");
    let huge = stream.zeros::<u8>(1 << 46);
    assert!(matches!(huge, Err(Error::OutOfMemory { bytes, .. }) if bytes == 1 << 46), "{huge:?}");
    works(&stream);
}

#[test]
fn events_measure_the_device() {
    let Some(gpu) = gpu("events_measure_the_device") else { return };
    let stream = gpu.stream();
    let mut values = stream.zeros(1).expect("zeros");
    let start = stream.record().expect("record");
    super::slowly(&stream, 50, &mut values).expect("launch");
    let end = stream.record().expect("record");
    assert!(!end.is_complete().expect("query"));
    let elapsed = end.elapsed_ms_since(&start).expect("elapsed");
    assert!((50.0..500.0).contains(&elapsed), "{elapsed} ms");
    assert!(end.is_complete().expect("query"));
}

#[test]
fn a_missing_device_is_an_error() {
    let Some(_gpu) = gpu("a_missing_device_is_an_error") else { return };
    assert!(matches!(Device::cuda(999), Err(Error::NoDevice { ordinal: 999, count }) if count > 0));
}
