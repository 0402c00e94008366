//! Launches: shapes, limits, errors, panics.

use warpweft::prelude::*;
use warpweft::{Error, Result};

#[kernel]
fn ranks(mut out: DisjointSlice<u64>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out = i.get() as u64 + 1;
    }
}

/// Every thread of every shape has a rank of its own, and they are all there.
#[warpweft::test]
fn ranks_are_distinct_in_every_shape(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let shapes: [(warpweft::Dim3, warpweft::Dim3); 5] = [
        (7.into(), 33.into()),
        ((3, 2).into(), (4, 5).into()),
        ((2, 3, 4).into(), (3, 2, 5).into()),
        (1.into(), 1024.into()),
        ((1, 1, 9).into(), (1, 1, 64).into()),
    ];
    for (blocks, threads) in shapes {
        let count = (blocks.count() * threads.count()) as usize;
        let mut out = stream.zeros::<u64>(count)?;
        ranks::launch(&stream, Grid::new(blocks, threads), &mut out)?;
        let expected: Vec<u64> = (1..=count as u64).collect();
        assert_eq!(stream.download(&out)?, expected, "{blocks} blocks of {threads}");
    }
    Ok(())
}

#[kernel]
fn places(mut out: DisjointGrid<[u32; 2]>) {
    let i = thread::index_2d();
    if let Some(out) = out.get_mut(&i) {
        *out = [i.row() as u32, i.column() as u32];
    }
}

#[warpweft::test]
fn rows_and_columns_are_where_they_should_be(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    for (rows, columns) in [(1, 1), (5, 70), (70, 5), (32, 32)] {
        let mut out = stream.zeros::<[u32; 2]>(rows * columns)?;
        places::launch(&stream, Grid::cover_2d(columns, rows), out.grid_mut(rows, columns)?)?;
        let expected: Vec<[u32; 2]> =
            (0..rows as u32).flat_map(|row| (0..columns as u32).map(move |column| [row, column])).collect();
        assert_eq!(stream.download(&out)?, expected, "{rows} x {columns}");
    }
    Ok(())
}

#[warpweft::test]
fn a_launch_over_nothing_does_nothing(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut out = stream.zeros::<u64>(0)?;
    ranks::launch(&stream, Grid::cover(0), &mut out)?;
    stream.synchronize()?;
    assert_eq!(stream.download(&out)?, []);
    Ok(())
}

#[warpweft::test]
fn a_launch_beyond_the_limits_is_refused_and_the_next_one_works(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut out = stream.zeros::<u64>(64)?;
    let wrong: [Grid; 4] =
        [Grid::new(1, 2048), Grid::new(1, 0), Grid::new((1, 65_536), 1), Grid::new(1, (1, 1, 65))];
    for grid in wrong {
        let error = ranks::launch(&stream, grid, &mut out).expect_err("beyond the limits");
        let Error::LaunchLimit { kernel, value, limit, .. } = &error else { panic!("{error:?}") };
        assert!(kernel.contains("ranks"), "{error}");
        assert!(error.to_string().contains(&value.to_string()), "{error}");
        assert!(error.to_string().contains(&limit.to_string()), "{error}");
    }
    ranks::launch(&stream, Grid::cover(64), &mut out)?;
    assert_eq!(stream.download(&out)?[63], 64);
    Ok(())
}

#[warpweft::test]
fn a_buffer_of_another_device_is_refused(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut strange = Device::sim().stream()?.zeros::<u64>(8)?;
    let error = ranks::launch(&stream, Grid::cover(8), &mut strange).expect_err("another device's buffer");
    assert!(matches!(error, Error::OtherContext { .. }), "{error:?}");
    Ok(())
}

#[warpweft::test]
fn copies_of_the_wrong_length_are_refused(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut buffer = stream.upload(&[1_u32, 2, 3])?;
    assert!(matches!(stream.copy_from_host(&mut buffer, &[1, 2]), Err(Error::Length { .. })));
    assert!(matches!(stream.copy_to_host(&buffer, &mut [0; 4]), Err(Error::Length { .. })));
    assert!(matches!(buffer.slice(2..5), Err(Error::OutOfRange { .. })));
    assert_eq!(stream.download(&buffer)?, [1, 2, 3]);
    Ok(())
}

/// Line of the `assert!` in `picky`.
const ASSERT_LINE: u32 = line!() + 6;

#[kernel]
fn picky(values: &[u32], mut out: DisjointSlice<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        assert!(values[&i] != 13, "thirteen is not allowed");
        *out = values[&i];
    }
}

#[warpweft::test]
fn a_panic_is_an_error_with_its_place_and_the_next_launch_works(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut values: Vec<u32> = (1000..2000).collect();
    values[700] = 13;
    let bad = stream.upload(&values)?;
    let mut out = stream.zeros::<u32>(1000)?;
    picky::launch(&stream, Grid::cover(1000), &bad, &mut out)?;
    let error = stream.synchronize().expect_err("a thread has panicked");
    let Error::KernelPanic(panic) = &error else { panic!("{error:?}") };
    assert!(panic.kernel.contains("picky"), "{error}");
    assert!(panic.file.ends_with("launch.rs"), "{error}");
    assert_eq!(panic.line, ASSERT_LINE, "{error}");
    assert_eq!((panic.block[0], panic.thread[0]), (700 / 256, 700 % 256), "{error}");
    assert!(panic.message.contains("thirteen"), "{error}");
    // Reported once; the stream and the device go on.
    stream.synchronize()?;
    let good = stream.upload(&(0..1000).map(|i| i + 20).collect::<Vec<u32>>())?;
    picky::launch(&stream, Grid::cover(1000), &good, &mut out)?;
    assert_eq!(stream.download(&out)?[999], 1019);
    Ok(())
}

#[kernel]
fn behind_the_end(values: &[u32], mut out: DisjointSlice<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(&i) {
        *out = values[&i];
    }
}

#[warpweft::test]
fn an_index_behind_the_end_is_an_error(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let values = stream.upload(&[5_u32; 33])?;
    let mut out = stream.zeros::<u32>(64)?;
    behind_the_end::launch(&stream, Grid::new(2, 32), &values, &mut out)?;
    let error = stream.synchronize().expect_err("a thread has panicked");
    let Error::KernelPanic(panic) = &error else { panic!("{error:?}") };
    assert_eq!(panic.block[0], 1, "{error}");
    assert!(panic.file.ends_with("launch.rs"), "{error}");
    Ok(())
}

/// The first launches of a kernel from many host threads at once.
#[warpweft::test]
fn many_host_threads_launch_at_once(device: &Device) -> Result<()> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || -> Result<()> {
                    let stream = device.stream()?;
                    for round in 0..20 {
                        let count = 100 * (number + 1) + round;
                        let mut out = stream.zeros::<u64>(count)?;
                        ranks::launch(&stream, Grid::cover(count), &mut out)?;
                        assert!(stream.download(&out)?.iter().copied().eq(1..=count as u64));
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic on the host"))
    })
}

#[warpweft::test]
fn launches_on_one_stream_run_in_order(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let mut a = stream.upload(&vec![1_u32; 10_000])?;
    let mut b = stream.zeros::<u32>(10_000)?;
    for _ in 0..50 {
        behind_the_end::launch(&stream, Grid::cover(10_000), &a, &mut b)?;
        std::mem::swap(&mut a, &mut b);
    }
    assert_eq!(stream.download(&a)?, vec![1; 10_000]);
    Ok(())
}
