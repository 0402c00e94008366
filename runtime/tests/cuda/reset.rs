//! A kernel that was launched before the context was reset is launched after it.

use cudarc::driver::sys;
use warpweft::prelude::*;
use warpweft::{Error, LostCause};

use super::{add, gpu, works};

/// Resets the primary context of device 0 as other code in the process would, behind the back of this crate.
fn reset_behind_our_back() {
    // SAFETY: a test has the device to itself, and makes no other call meanwhile.
    let result = unsafe { sys::cuDevicePrimaryCtxReset_v2(0) };
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
}

fn is_active() -> bool {
    let (mut flags, mut active) = (0, 0);
    // SAFETY: the pointers are valid for writes.
    let result = unsafe { sys::cuDevicePrimaryCtxGetState(0, &mut flags, &mut active) };
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
    active != 0
}

fn stale_after(device: &Device, reset: impl Fn(), cause: LostCause) {
    let (stream, other) = (device.stream().expect("stream"), device.stream().expect("stream"));
    works(&stream);
    let mut values = stream.upload(&[1.0_f32; 100]).expect("upload");
    let event = stream.record().expect("record");
    other.download(&values).expect("the buffer knows two streams");
    reset();
    let lost = |result: Result<(), Error>| match result {
        Err(Error::ContextLost { cause: found, .. }) => assert_eq!(found, cause),
        other => panic!("not lost: {other:?}"),
    };
    lost(stream.synchronize());
    lost(add(&stream, 1.0, &mut values));
    lost(stream.download(&values).map(drop));
    lost(stream.record().map(drop));
    lost(event.synchronize());
    lost(event.is_complete().map(drop));
    lost(other.wait(&event));
    let next = device.stream().expect("a new stream works");
    works(&next);
    lost(add(&next, 1.0, &mut values));
    lost(next.wait(&event));
    drop((values, event));
    works(&next);
    drop((stream, other));
    works(&next);
    works(&device.stream().expect("stream"));
}

#[test]
fn after_a_reset_through_us() {
    let Some(gpu) = gpu("after_a_reset_through_us") else { return };
    for _ in 0..3 {
        stale_after(gpu.device(), || gpu.device().reset().expect("reset"), LostCause::Reset);
    }
}

#[test]
fn after_a_reset_behind_our_back() {
    let Some(gpu) = gpu("after_a_reset_behind_our_back") else { return };
    for _ in 0..3 {
        stale_after(gpu.device(), reset_behind_our_back, LostCause::External);
    }
}

#[test]
fn after_a_reset_behind_our_back_and_a_new_retain() {
    let Some(gpu) = gpu("after_a_reset_and_a_new_retain") else { return };
    let reset_and_retain = || {
        reset_behind_our_back();
        let mut context = std::ptr::null_mut();
        // SAFETY: the pointer is valid for a write.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, 0) };
        assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
        // SAFETY: retained just now.
        unsafe { sys::cuCtxSetCurrent(context) };
    };
    stale_after(gpu.device(), reset_and_retain, LostCause::External);
    // SAFETY: gives back what was retained above.
    unsafe { sys::cuDevicePrimaryCtxRelease_v2(0) };
    works(&gpu.stream());
}

#[test]
fn after_the_last_device_was_dropped_the_context_is_released_and_the_next_one_works() {
    let Some(mut gpu) = gpu("after_the_last_device_was_dropped") else { return };
    for round in 0..3 {
        let device = gpu.device.take().expect("device");
        let stream = device.stream().expect("stream");
        works(&stream);
        let buffer = stream.zeros::<f32>(8).expect("zeros");
        drop((device, stream));
        assert!(is_active(), "the buffer keeps its context");
        drop(buffer);
        assert!(!is_active(), "round {round}: something still holds the context");
        gpu.device = Some(Device::cuda(0).expect("again"));
        works(&gpu.stream());
    }
    // The references of contexts that were reset are given back as well.
    gpu.device().reset().expect("reset");
    works(&gpu.stream());
    gpu.device = None;
    assert!(!is_active());
}

#[test]
fn two_devices_of_one_number_share_their_context() {
    let Some(gpu) = gpu("two_devices_of_one_number") else { return };
    let stream = Device::cuda(0).expect("again").stream().expect("stream");
    let values = gpu.stream().upload(&[1_u8, 2]).expect("upload");
    assert_eq!(stream.download(&values), Ok(vec![1, 2]));
    let other = gpu.device().clone();
    Device::cuda(0).expect("again").reset().expect("reset");
    assert!(matches!(stream.synchronize(), Err(Error::ContextLost { .. })));
    works(&other.stream().expect("stream"));
}

#[test]
fn resets_beside_launches_are_safe() {
    let Some(gpu) = gpu("resets_beside_launches") else { return };
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let lost = |error: Error| assert!(matches!(error, Error::ContextLost { .. }), "{error}");
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let round = || {
                        let stream = gpu.device().stream()?;
                        let mut values = stream.upload(&[1.0_f32; 100])?;
                        for _ in 0..20 {
                            add(&stream, 1.0, &mut values)?;
                        }
                        stream.download(&values)
                    };
                    match round() {
                        Ok(values) => assert_eq!(values, [21.0; 100]),
                        Err(error) => lost(error),
                    }
                }
            });
        }
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(20));
            gpu.device().reset().expect("reset");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    works(&gpu.stream());
}

#[test]
fn many_resets_do_not_grow_the_process() {
    let Some(gpu) = gpu("many_resets") else { return };
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        status.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
    };
    let mut after = Vec::new();
    for round in 0..60 {
        gpu.device().reset().expect("reset");
        works(&gpu.stream());
        if round % 20 == 19 {
            after.push(resident());
        }
    }
    assert!(after[2] < after[0] + (64 << 20), "resident bytes after 20, 40 and 60 resets: {after:?}");
}
