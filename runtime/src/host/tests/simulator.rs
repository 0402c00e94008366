//! The host side on the simulator, with launchers as `#[kernel]` writes them.

use crate::host::kernel::Kernel;
use crate::host::{Buffer, Device, DeviceSlice, Error, Grid, LostCause, Result, Stream, launch};
use crate::sim::backend::{block_idx, grid_rank, thread_idx};

static SUM: Kernel = Kernel::new("sum", "m", "", None);

/// A kernel with a result that the host can see without a writable view: it counts what it reads.
fn launch_sum(stream: &Stream, grid: Grid, factor: u64, values: &DeviceSlice<u64>) -> Result<u64> {
    let total = std::sync::atomic::AtomicU64::new(0);
    launch::<(u64, &[u64]), _>(stream, grid, &SUM, (factor, values), |(factor, values)| {
        if let Some(value) = values.get(grid_rank() as usize) {
            total.fetch_add(factor * value, std::sync::atomic::Ordering::Relaxed);
        }
    })?;
    Ok(total.into_inner())
}

#[test]
fn a_kernel_reads_scalars_and_slices() {
    let stream = Device::sim().stream().expect("stream");
    let values: Vec<u64> = (0..1000).collect();
    let buffer = stream.upload(&values).expect("upload");
    assert_eq!(launch_sum(&stream, Grid::cover(1000), 3, &buffer), Ok(3 * 499_500));
    assert_eq!(launch_sum(&stream, Grid::cover_2d(32, 32), 1, &buffer), Ok(499_500));
    assert_eq!(launch_sum(&stream, Grid::cover(0), 3, &buffer), Ok(0));
    let part = buffer.slice(10..=11).expect("part");
    assert_eq!(launch_sum(&stream, Grid::cover(1000), 1, &part), Ok(21));
    let empty = stream.zeros::<u64>(0).expect("zeros");
    assert_eq!(launch_sum(&stream, Grid::cover(1000), 1, &empty), Ok(0));
}

#[test]
fn kernels_take_none_and_twenty_parameters() {
    static WIDE: Kernel = Kernel::new("wide", "m", "", None);
    let stream = Device::sim().stream().expect("stream");
    launch::<(), _>(&stream, Grid::new(1, 1), &WIDE, (), |()| {}).expect("none");
    let words = (1_u8, 2_u8, 3_u8, 4_u8, 5_u8, 6_u8, 7_u8, 8_u8, 9_u8, 10_u8);
    let (a, b, c, d, e, f, g, h, i, j) = words;
    type Twenty = (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8);
    let hosts = (a, b, c, d, e, f, g, h, i, j, a, b, c, d, e, f, g, h, i, j);
    launch::<Twenty, _>(&stream, Grid::new(1, 1), &WIDE, hosts, |twenty| assert_eq!(twenty.19, 10))
        .expect("twenty");
    stream.synchronize().expect("the kernel's assertion held");
}

#[test]
fn copies_check_their_lengths_and_go_both_ways() {
    let stream = Device::sim().stream().expect("stream");
    let mut buffer = stream.upload(&[1_u32, 2, 3, 4]).expect("upload");
    stream.copy_from_host(&mut buffer.slice_mut(1..3).expect("view"), &[7, 8]).expect("copy");
    let mut values = [0; 4];
    stream.copy_to_host(&buffer, &mut values).expect("copy");
    assert_eq!(values, [1, 7, 8, 4]);
    let (mut left, right) = buffer.split_at_mut(2).expect("split");
    stream.copy(&right, &mut left).expect("copy");
    assert_eq!(stream.download(&buffer), Ok(vec![8, 4, 8, 4]));
    let error = Error::Length { what: "copy_to_host", source_len: 4, destination_len: 3 };
    assert_eq!(stream.copy_to_host(&buffer, &mut [0; 3]), Err(error));
    let error = Error::Length { what: "copy_from_host", source_len: 5, destination_len: 4 };
    assert_eq!(stream.copy_from_host(&mut buffer, &[0; 5]), Err(error));
    let source = stream.zeros::<u32>(3).expect("zeros");
    let error = Error::Length { what: "copy", source_len: 3, destination_len: 4 };
    assert_eq!(stream.copy(&source, &mut buffer), Err(error));
}

#[test]
fn ranges_and_sizes_are_checked() {
    let stream = Device::sim().stream().expect("stream");
    let mut buffer = stream.zeros::<u16>(4).expect("zeros");
    let error = |start, end| Some(Error::OutOfRange { start, end, len: 4 });
    assert_eq!(buffer.slice(2..5).err(), error(2, 5));
    assert_eq!(buffer.slice_mut(5..).err(), error(5, 4));
    #[expect(clippy::reversed_empty_ranges)]
    let reversed = buffer.slice(3..2).err();
    assert_eq!(reversed, error(3, 2));
    assert_eq!(buffer.slice(..=usize::MAX).err(), error(0, usize::MAX));
    assert_eq!(buffer.split_at_mut(5).err(), error(0, 5));
    let (left, right) = buffer.split_at_mut(4).expect("at the end");
    assert_eq!((left.len(), right.len()), (4, 0));
    assert_eq!(buffer.slice(1..).expect("tail").slice(1..2).expect("part").len(), 1);
    let error = Error::SizeOverflow { len: usize::MAX / 2, element_bytes: 4 };
    assert_eq!(stream.zeros::<f32>(usize::MAX / 2).err(), Some(error));
    let huge = stream.zeros::<u8>(isize::MAX as usize - 4096).err();
    assert!(matches!(huge, Some(Error::OutOfMemory { .. })), "{huge:?}");
}

#[test]
fn zeros_are_zero_and_buffers_are_aligned() {
    let stream = Device::sim().stream().expect("stream");
    let buffer = stream.zeros::<f64>(513).expect("zeros");
    assert_eq!(stream.download(&buffer), Ok(vec![0.0; 513]));
    assert_eq!(buffer.device_ptr().address() % 256, 0);
    let empty = stream.zeros::<u128>(0).expect("zeros");
    assert!(empty.is_empty() && empty.device_ptr().address().is_multiple_of(256));
    assert_eq!(stream.download(&empty), Ok(vec![]));
}

#[test]
fn a_panic_is_reported_by_the_next_synchronisation_of_its_stream_and_only_there() {
    static FAILS: Kernel = Kernel::new("fails", "m", "", None);
    let device = Device::sim();
    let (stream, other) = (device.stream().expect("stream"), device.stream().expect("stream"));
    let body = |(limit,): (u32,)| assert!(block_idx()[0] * 4 + thread_idx()[0] < limit, "beyond the limit");
    launch::<(u32,), _>(&stream, Grid::new(3, 4), &FAILS, (100,), body).expect("launch");
    launch::<(u32,), _>(&stream, Grid::new(3, 4), &FAILS, (6,), body)
        .expect("a panic is not an error of the launch");
    let event = stream.record().expect("record");
    assert!(event.is_complete().expect("query"));
    other.synchronize().expect("the other stream has nothing to report");
    let Err(Error::KernelPanic(panic)) = stream.synchronize() else { panic!("not reported") };
    assert_eq!(
        (panic.kernel.as_str(), panic.launch, panic.block, panic.thread),
        ("fails", 2, [1, 0, 0], [2, 0, 0])
    );
    assert!(panic.file.ends_with("simulator.rs") && panic.message.contains("beyond the limit"), "{panic}");
    stream.synchronize().expect("reported once");
    event.synchronize().expect("reported once");
    launch::<(u32,), _>(&stream, Grid::new(3, 4), &FAILS, (100,), body).expect("the next launch works");
    stream.synchronize().expect("and is clean");
}

#[test]
fn a_panic_outlives_its_stream() {
    static FAILS: Kernel = Kernel::new("fails", "m", "", None);
    let device = Device::sim();
    let stream = device.stream().expect("stream");
    launch::<(), _>(&stream, Grid::new(1, 1), &FAILS, (), |()| panic!("gone")).expect("launch");
    drop(stream);
    let next = device.stream().expect("stream");
    assert!(matches!(next.upload(&[1_u8]), Err(Error::KernelPanic(_))));
    next.synchronize().expect("reported once");
}

#[test]
fn launches_nest() {
    static OUTER: Kernel = Kernel::new("outer", "m", "", None);
    let device = Device::sim();
    let stream = device.stream().expect("stream");
    launch::<(), _>(&stream, Grid::new(2, 2), &OUTER, (), |()| {
        let inner = device.stream().expect("stream inside");
        let buffer = inner.upload(&[1_u64, 2, 3]).expect("upload inside");
        assert_eq!(launch_sum(&inner, Grid::cover(3), 1, &buffer), Ok(6));
    })
    .expect("launch");
    stream.synchronize().expect("no thread panicked");
}

#[test]
fn reset_makes_everything_stale_but_the_device() {
    let device = Device::sim();
    let stream = device.stream().expect("stream");
    let buffer = stream.upload(&[1_u64, 2]).expect("upload");
    device.clone().reset().expect("reset");
    let error = Error::ContextLost { device: "the simulator".to_owned(), cause: LostCause::Reset };
    assert_eq!(stream.download(&buffer), Err(error.clone()));
    let next = device.stream().expect("a new stream");
    assert_eq!(next.download(&buffer), Err(error.clone()));
    assert_eq!(launch_sum(&next, Grid::cover(2), 1, &buffer), Err(error));
    let buffer = next.upload(&[1_u64, 2]).expect("upload");
    assert_eq!(launch_sum(&next, Grid::cover(2), 1, &buffer), Ok(3));
}

#[test]
fn two_simulated_devices_do_not_meet() {
    let (a, b) = (Device::sim().stream().expect("stream"), Device::sim().stream().expect("stream"));
    let buffer = a.upload(&[1_u64]).expect("upload");
    let error = launch_sum(&b, Grid::cover(1), 1, &buffer).expect_err("other device");
    assert!(
        matches!(&error, Error::OtherContext { what, .. } if what == "parameter 2 of kernel `sum`"),
        "{error}"
    );
    let advice = "each `Device::sim()` is a device of its own: make both from one `Device` (clone it)";
    assert!(error.to_string().ends_with(advice), "{error}");
    let (expected, found) = ("the simulator (context 1)".to_owned(), "CUDA device 0 (context 2)".to_owned());
    let error = Error::OtherContext { what: "the buffer".to_owned(), expected, found };
    assert!(error.to_string().ends_with("copy it there through the host"), "{error}");
}

#[test]
fn grids_and_blocks_beyond_the_limits_are_refused_with_axis_value_and_limit() {
    let stream = Device::sim().stream().expect("stream");
    let buffer = stream.upload(&[1_u64]).expect("upload");
    let refused = |grid: Grid| match launch_sum(&stream, grid, 1, &buffer) {
        Err(Error::LaunchLimit { field, value, limit, .. }) => (field, value, limit),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Grid::new(1, 0)), ("threads of a block along x", 0, 1));
    let texts =
        [(0, "x is 0, but must be at least 1; write 1"), (2000, "x is 2000, but the simulator allows 1024;")];
    for (threads, text) in texts {
        let error = launch_sum(&stream, Grid::new(1, threads), 1, &buffer).expect_err("refused").to_string();
        assert!(error.contains(text), "{error}");
    }
    assert_eq!(refused(Grid::new(1, (1, 1025, 1))), ("threads of a block along y", 1025, 1024));
    assert_eq!(refused(Grid::new(1, (1, 1, 65))), ("threads of a block along z", 65, 64));
    assert_eq!(refused(Grid::new(1, (64, 32, 1))), ("threads of a block", 2048, 1024));
    assert_eq!(refused(Grid::new((1, 65_536), 1)), ("blocks of the grid along y", 65_536, 65_535));
    assert_eq!(refused(Grid::new(1 << 31, 1)), ("blocks of the grid along x", 1 << 31, (1 << 31) - 1));
    let all = ((1 << 31) - 1, 65_535, 65_535);
    assert_eq!(refused(Grid::new(all, 1024)), ("threads of the grid", u64::MAX, (1 << 63) - 1));
}

#[test]
fn events_measure_time() {
    let stream = Device::sim().stream().expect("stream");
    let start = stream.record().expect("record");
    std::thread::sleep(std::time::Duration::from_millis(5));
    let end = stream.record().expect("record");
    let elapsed = end.elapsed_ms_since(&start).expect("elapsed");
    assert!((5.0..5000.0).contains(&elapsed), "{elapsed} ms");
    assert!(start.elapsed_ms_since(&end).expect("elapsed") < 0.0);
}

#[test]
fn streams_and_buffers_go_between_threads() {
    fn ok<T: Send + Sync>() {}
    ok::<Stream>();
    ok::<Buffer<f32>>();
    ok::<Device>();
    ok::<Error>();
    ok::<crate::host::Event>();
    let stream = Device::sim().stream().expect("stream");
    let buffer = stream.upload(&[1_u64; 64]).expect("upload");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(launch_sum(&stream, Grid::cover(64), 1, &buffer), Ok(64));
                }
            });
        }
    });
}

#[test]
fn a_matrix_that_does_not_fit_is_refused_with_its_shape() {
    let stream = Device::sim().stream().expect("stream");
    let mut buffer = stream.zeros::<f32>(8).expect("zeros");
    let mut refused = |rows, columns| buffer.grid_mut(rows, columns).err().map(|error| error.to_string());
    assert_eq!(refused(2, 4), None);
    let text = refused(3, 3).expect("9 elements");
    assert!(text.starts_with("3 rows of 3 columns are 9 elements, but the buffer has 8;"), "{text}");
    let text = refused(usize::MAX, 2).expect("too many");
    assert!(text.contains("are 36893488147419103230 elements"), "{text}");
}
