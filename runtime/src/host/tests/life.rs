//! What happens to objects whose context ends, and what a launch hands to the driver.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::host::driver::StatusKind;
use crate::host::kernel::{Image, Kernel};
use crate::host::stand_in::StandIn;
use crate::host::{Buffer, Error, Grid, LostCause, Result, Stream, launch};

static ADD: Kernel = Kernel::new("add", "m", "m__add", Some(Image::new(7, b"")));

fn add(stream: &Stream, grid: Grid, amount: f32, buffer: &Buffer<f32>) -> Result<()> {
    launch::<(f32, &[f32]), _>(stream, grid, &ADD, (amount, buffer), |_| unreachable!("not simulated"))
}

fn lost(cause: LostCause) -> Error {
    Error::ContextLost { device: "stand-in".to_owned(), cause }
}

#[test]
fn a_launch_loads_once_and_passes_each_word() {
    let driver = StandIn::new();
    let (_context, stream, _second) = driver.context();
    let buffer = stream.zeros::<f32>(1000).expect("zeros");
    driver.take();
    for _ in 0..2 {
        add(&stream, Grid::cover(1000), 1.0, &buffer).expect("launch");
    }
    let launch = "launch m__add (4, 1, 1) words 3 on 1";
    assert_eq!(driver.take(), ["load 7", "function m__add of 7 [4, 8, 8]", launch, launch]);
}

#[test]
fn a_launch_over_nothing_is_checked_and_then_does_nothing() {
    let driver = StandIn::new();
    let (_context, stream, _second) = driver.context();
    let buffer = stream.zeros::<f32>(0).expect("zeros");
    add(&stream, Grid::cover(0), 1.0, &buffer).expect("nothing");
    assert_eq!(driver.count("launch"), 0);
    assert!(add(&stream, Grid::cover(0).with_threads(0), 1.0, &buffer).is_err());
    assert_eq!(driver.count("allocate"), 0);
}

#[test]
fn limits_of_the_kernel_are_checked_before_the_driver_is_asked() {
    let driver = StandIn::new();
    let (_context, stream, _second) = driver.context();
    let buffer = stream.zeros::<f32>(8).expect("zeros");
    let error = add(&stream, Grid::new(1, 513), 1.0, &buffer).expect_err("too many registers");
    let Error::LaunchLimit { kernel, value: 513, limit: 512, remedy, .. } = &error else { panic!("{error}") };
    assert_eq!(kernel, "add");
    assert!(remedy.contains("128 registers") && remedy.contains("65664"), "{remedy}");
    assert_eq!(driver.count("launch"), 0);
}

#[test]
fn the_end_of_a_context_is_told_by_every_object_and_dropping_them_calls_nobody() {
    for cause in [LostCause::Reset, LostCause::External] {
        let driver = StandIn::new();
        let (context, stream, second) = driver.context();
        let mut buffer = stream.upload(&[1.0_f32; 8]).expect("upload");
        let event = stream.record().expect("record");
        add(&stream, Grid::cover(8), 1.0, &buffer).expect("launch");
        stream.download(&buffer).expect("download");
        second.download(&buffer).expect("download");
        match cause {
            LostCause::Reset => context.reset().expect("reset"),
            _ => driver.alive.store(false, Ordering::SeqCst),
        }
        driver.take();
        let error = lost(cause);
        assert_eq!(stream.synchronize(), Err(error.clone()));
        assert_eq!(stream.upload(&[1.0]).err(), Some(error.clone()));
        assert_eq!(stream.zeros::<f32>(1).err(), Some(error.clone()));
        assert_eq!(stream.download(&buffer), Err(error.clone()));
        assert_eq!(stream.copy_from_host(&mut buffer, &[0.0; 8]), Err(error.clone()));
        assert_eq!(stream.record().err(), Some(error.clone()));
        assert_eq!(second.wait(&event), Err(error.clone()));
        assert_eq!(event.synchronize(), Err(error.clone()));
        assert_eq!(event.is_complete(), Err(error.clone()));
        assert_eq!(add(&stream, Grid::cover(8), 1.0, &buffer), Err(error.clone()));
        assert_eq!(Stream::new(context.clone()).err(), Some(error.clone()));
        // A live stream of another context tells the truth about the old buffer and the old event too.
        let other = StandIn::new();
        let (_context, live, _) = other.context();
        assert_eq!(add(&live, Grid::cover(8), 1.0, &buffer), Err(error.clone()));
        assert_eq!(live.wait(&event), Err(error));
        drop((buffer, event, stream, second, context));
        assert_eq!(driver.take(), Vec::<String>::new());
        assert_eq!(driver.after_death.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_new_context_loads_again() {
    let driver = StandIn::new();
    let (context, stream, _second) = driver.context();
    let buffer = stream.zeros::<f32>(8).expect("zeros");
    add(&stream, Grid::cover(8), 1.0, &buffer).expect("launch");
    context.reset().expect("reset");
    context.reset().expect("a second reset has nothing to do");
    assert_eq!((driver.count("load"), driver.count("reset")), (1, 1));
    driver.alive.store(true, Ordering::SeqCst);
    assert_eq!(stream.synchronize(), Err(lost(LostCause::Reset)), "a dead context does not come back");
    let (_next, stream, _second) = driver.context();
    let buffer = stream.zeros::<f32>(8).expect("zeros");
    add(&stream, Grid::cover(8), 1.0, &buffer).expect("launch");
    assert_eq!((driver.count("load"), driver.count("launch")), (1, 1));
}

#[test]
fn a_context_unloads_its_modules_when_its_last_object_goes() {
    let driver = StandIn::new();
    let (context, stream, second) = driver.context();
    let buffer = stream.zeros::<f32>(8).expect("zeros");
    add(&stream, Grid::cover(8), 1.0, &buffer).expect("launch");
    driver.take();
    drop((context, stream, second));
    assert_eq!(driver.count("unload"), 0, "the buffer keeps its context");
    drop(buffer);
    let calls = driver.take();
    assert_eq!(calls.iter().filter(|call| call.starts_with("stream_destroy")).count(), 2);
    assert_eq!(calls.last().map(String::as_str), Some("unload 7"));
}

#[test]
fn buffers_and_events_of_another_context_are_refused_by_name() {
    let (one, two) = (StandIn::new(), StandIn::new());
    let ((first, a, _), (second, b, _)) = (one.context(), two.context());
    let buffer = a.zeros::<f32>(8).expect("zeros");
    let error = add(&b, Grid::cover(8), 1.0, &buffer).expect_err("other context");
    let (what, expected, found) =
        ("parameter 2 of kernel `add`".to_owned(), second.describe(), first.describe());
    assert_eq!(error, Error::OtherContext { what, expected, found });
    assert!(matches!(b.download(&buffer), Err(Error::OtherContext { .. })));
    assert!(matches!(b.wait(&a.record().expect("record")), Err(Error::OtherContext { .. })));
    assert_eq!((two.count("launch"), two.count("wait")), (0, 0));
}

#[test]
fn a_fault_is_reported_once_with_the_kernel_and_then_the_context_is_lost() {
    let driver = StandIn::new();
    let (context, stream, second) = driver.context();
    let buffer = stream.zeros::<f32>(8).expect("zeros");
    add(&stream, Grid::cover(8), 1.0, &buffer).expect("launch");
    driver.fail("synchronize", StatusKind::Sticky);
    let error = stream.synchronize().expect_err("fault");
    let Error::DeviceFault { kernel, status, .. } = &error else { panic!("{error}") };
    assert_eq!((kernel.as_str(), status.as_str()), ("add", "injected"));
    driver.take();
    assert_eq!(stream.synchronize(), Err(lost(LostCause::Fault)));
    assert_eq!(second.synchronize(), Err(lost(LostCause::Fault)));
    drop((buffer, stream, second, context));
    assert_eq!(driver.take(), Vec::<String>::new());
}

#[test]
fn a_context_found_dead_by_a_call_is_lost() {
    let driver = StandIn::new();
    let (_context, stream, _second) = driver.context();
    driver.fail("synchronize", StatusKind::Lost);
    assert_eq!(stream.synchronize(), Err(lost(LostCause::External)));
    assert_eq!(stream.synchronize(), Err(lost(LostCause::External)));
}

#[test]
fn no_memory_is_an_error_and_not_the_end() {
    let driver = StandIn::new();
    let (_context, stream, _second) = driver.context();
    driver.fail("allocate", StatusKind::OutOfMemory);
    let error = stream.zeros::<f32>(1000).expect_err("no memory");
    assert_eq!(error, Error::OutOfMemory { device: "stand-in".to_owned(), bytes: 4000 });
    stream.zeros::<f32>(1000).expect("there is again");
}

#[test]
fn resets_beside_launches_are_safe() {
    for _ in 0..20 {
        let driver = StandIn::new();
        let (context, stream, _second) = driver.context();
        let buffer = Arc::new(stream.zeros::<f32>(8).expect("zeros"));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        match add(&stream, Grid::cover(8), 1.0, &buffer) {
                            Ok(()) => {}
                            Err(error) => break assert_eq!(error, lost(LostCause::Reset)),
                        }
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            context.reset().expect("reset");
        });
        drop((buffer, stream));
        assert_eq!(driver.after_death.load(Ordering::SeqCst), 0);
    }
}

/// A number that looks random, from a state that this steps on.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn sixteen_threads_on_four_contexts_with_resets_and_failing_loads_see_only_promised_errors() {
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    type Place = Mutex<(Arc<StandIn>, Arc<crate::host::context::Context>)>;
    let fresh = || {
        let driver = StandIn::new();
        let failures = std::sync::atomic::AtomicU64::new(3);
        *driver.on_load.lock().expect("hook") = Some(Arc::new(Box::new(move |_| {
            let left =
                failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| Some(n.saturating_sub(1)));
            if left == Ok(0) { Ok(()) } else { Err("injected".to_owned()) }
        })));
        let context = driver.context().0;
        (driver, context)
    };
    let places: Vec<Place> = (0..4).map(|_| Mutex::new(fresh())).collect();
    let drivers = Mutex::new(Vec::new());
    let end = Instant::now() + Duration::from_millis(700);
    let work = |seed: u64| {
        let mut state = seed * 0x9e37_79b9 + 1;
        let mut kept: Vec<Buffer<f32>> = Vec::new();
        let mut launched = 0;
        while Instant::now() < end {
            let place = &places[(random(&mut state) % 4) as usize];
            let context = place.lock().unwrap_or_else(PoisonError::into_inner).1.clone();
            if random(&mut state).is_multiple_of(64) {
                context.reset().expect("reset");
                let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
                if !place.1.is_alive() {
                    drivers.lock().expect("drivers").push(place.0.clone());
                    *place = fresh();
                }
                continue;
            }
            let round = || {
                let stream = Stream::new(context)?;
                let buffer = stream.zeros::<f32>(8)?;
                for _ in 0..random(&mut state) % 8 {
                    add(&stream, Grid::cover(8), 1.0, &buffer)?;
                    launched += 1;
                }
                // Buffers of other contexts, alive and dead, are refused.
                let other =
                    kept.iter().map(|old| add(&stream, Grid::cover(8), 1.0, old)).find_map(Result::err);
                stream.synchronize()?;
                kept.push(buffer);
                if kept.len() > 4 {
                    kept.remove((random(&mut state) % 4) as usize);
                }
                other.map_or(Ok(()), Err)
            };
            match round() {
                Ok(()) => {}
                Err(Error::ContextLost { cause: LostCause::Reset, .. } | Error::OtherContext { .. }) => {}
                Err(Error::Load { log, .. }) if log == "injected" => {}
                Err(other) => panic!("{other}"),
            }
        }
        launched
    };
    let launched: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|seed| {
                let work = &work;
                scope.spawn(move || work(seed))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panicked")).sum()
    });
    assert!(launched > 100, "{launched} launches");
    drivers.lock().expect("drivers").extend(places.into_iter().map(|p| p.into_inner().expect("place").0));
    for driver in drivers.into_inner().expect("drivers") {
        assert_eq!(driver.after_death.load(Ordering::SeqCst), 0);
        assert!(driver.count("load") <= 4, "three loads fail, the fourth is the last");
    }
}
