use std::sync::atomic::{AtomicU32, Ordering};

use super::{Global, barrier, line, spec};
use crate::sim::{backend, run};

#[test]
fn a_panic_before_a_barrier_ends_one_thread_and_is_reported_the_same_every_time() {
    let line_of_panic = line!() + 6;
    for _ in 0..1000 {
        let passed = AtomicU32::new(0);
        let error = run(&line(3, 64), || {
            let t = backend::thread_rank();
            if t == 14 && backend::block_idx()[0] > 0 {
                panic!("thread {t} gives up");
            }
            barrier();
            passed.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap_err();
        assert_eq!(passed.into_inner(), 3 * 64 - 2);
        assert_eq!((error.kernel.as_str(), error.launch), ("kernel", 7));
        assert_eq!((error.block, error.thread), ([1, 0, 0], [14, 0, 0]));
        assert!(error.file.ends_with("panics.rs"), "{error}");
        assert_eq!((error.line, error.column), (line_of_panic, 17));
        assert_eq!(error.message, "thread 14 gives up");
    }
}

#[test]
fn the_first_panic_by_block_and_thread_is_reported_though_blocks_run_side_by_side() {
    for _ in 0..20 {
        let error = run(&spec([40, 4, 1], [16, 2, 2]), || {
            if backend::block_idx()[1] == 3 && backend::thread_idx()[2] == 1 {
                let zero = backend::grid_dim()[0] - 40;
                std::hint::black_box(1 / std::hint::black_box(zero));
            }
        })
        .unwrap_err();
        assert_eq!((error.block, error.thread), ([0, 3, 0], [0, 0, 1]));
        assert_eq!(error.message, "attempt to divide by zero");
    }
}

#[test]
fn a_launch_of_which_every_thread_panics_is_cut_short() {
    let started = AtomicU32::new(0);
    let error = run(&line(0x7fff_ffff, 256), || {
        started.fetch_add(1, Ordering::Relaxed);
        panic!("everyone");
    })
    .unwrap_err();
    assert_eq!((error.block, error.thread), ([0; 3], [0; 3]));
    assert!((10_000..1_000_000).contains(&started.into_inner()));
}

#[test]
fn threads_panic_after_waiting_and_their_values_are_dropped() {
    struct Count<'a>(&'a AtomicU32);
    impl Drop for Count<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
            // A barrier on the way out is none: the thread is ending.
            barrier();
        }
    }
    let dropped = AtomicU32::new(0);
    let error = run(&line(2, 64), || {
        let _count = Count(&dropped);
        barrier();
        let _other = Count(&dropped);
        if backend::thread_rank() % 2 == 1 {
            panic!("odd");
        }
        barrier();
    })
    .unwrap_err();
    assert_eq!((error.block, error.thread, error.message.as_str()), ([0; 3], [1, 0, 0], "odd"));
    assert_eq!(dropped.into_inner(), 2 * 2 * 64);
}

#[test]
fn a_panic_is_reported_rather_than_what_follows_from_it() {
    let error = run(&line(1, 64), || {
        if backend::thread_rank() == 40 {
            panic!("the cause");
        }
        // SAFETY: on the simulator ballots have no precondition.
        unsafe { backend::ballot(u32::MAX, true) };
    })
    .unwrap_err();
    assert_eq!((error.thread, error.message.as_str()), ([40, 0, 0], "the cause"));
}

#[test]
fn threads_that_spin_for_a_thread_that_panicked_are_let_go() {
    let flag = AtomicU32::new(0);
    let error = run(&line(2, 32), || {
        if backend::grid_rank() == 63 {
            panic!("never sets the flag");
        }
        while flag.load(Ordering::Relaxed) == 0 {
            backend::spin_hint();
        }
    })
    .unwrap_err();
    assert_eq!((error.block, error.message.as_str()), ([1, 0, 0], "never sets the flag"));
}

#[test]
fn payloads_that_are_no_text_are_reported_too() {
    let error = run(&line(1, 1), || std::panic::panic_any(5_u8)).unwrap_err();
    assert_eq!(error.message, "a panic whose payload is no text");
    assert!(error.file.ends_with("panics.rs"));
    let error = run(&line(1, 1), || std::panic::resume_unwind(Box::new("quiet"))).unwrap_err();
    assert_eq!((error.message.as_str(), error.line), ("quiet", 0));
}

#[test]
fn a_panic_that_the_kernel_catches_is_its_own_affair() {
    let met = Global::new(32, 0);
    run(&line(1, 32), || {
        let t = backend::thread_rank() as usize;
        assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
        met.set(t, 1);
        barrier();
        assert_eq!(met.to_vec(), [1; 32]);
    })
    .unwrap();
}

#[test]
fn the_next_launch_is_sound() {
    for _ in 0..3 {
        run(&line(2, 100), || {
            barrier();
            if backend::thread_rank() > 50 {
                panic!("again")
            }
            barrier();
        })
        .unwrap_err();
        let sum = AtomicU32::new(0);
        run(&line(2, 100), || {
            barrier();
            sum.fetch_add(backend::thread_rank(), Ordering::Relaxed);
            barrier();
            assert!(sum.load(Ordering::Relaxed) >= 4950);
        })
        .unwrap();
        assert_eq!(sum.into_inner(), 9900);
    }
}

#[test]
fn device_functions_outside_a_launch_say_so() {
    let functions: [fn(); 6] = [
        || _ = backend::thread_idx(),
        || _ = backend::grid_rank(),
        || _ = backend::block_dim(),
        || _ = backend::shared_base(),
        barrier,
        // SAFETY: on the simulator ballots have no precondition.
        || _ = unsafe { backend::ballot(1, true) },
    ];
    for function in functions {
        let payload = std::panic::catch_unwind(function).unwrap_err();
        assert!(payload.downcast_ref::<&str>().unwrap().contains("outside any launch"));
    }
    backend::fence_device();
    backend::spin_hint();
}

/// Calls what it holds when it is dropped.
struct AtExit<F: Fn()>(F);

impl<F: Fn()> Drop for AtExit<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_thread_that_unwinds_without_the_hook_is_known_all_the_same() {
    let waited = AtomicU32::new(0);
    run(&line(1, 64), || {
        let _exit = AtExit(|| {
            // SAFETY: on the simulator this has no precondition.
            let here = unsafe { backend::block_barrier() };
            waited.fetch_add(u32::from(here), Ordering::Relaxed);
        });
        if backend::thread_rank() % 2 == 1 {
            std::panic::resume_unwind(Box::new("quiet"));
        }
        assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
    })
    .unwrap_err();
    assert_eq!(waited.into_inner(), 32);
}

#[test]
fn a_destructor_can_launch_while_a_panic_unwinds() {
    let passed = AtomicU32::new(0);
    let launch = || {
        run(&line(3, 64), || {
            // SAFETY: on the simulator this has no precondition.
            let waited = unsafe { backend::block_barrier() };
            passed.fetch_add(u32::from(waited), Ordering::Relaxed);
        })
        .unwrap();
    };
    let outside = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _exit = AtExit(launch);
        std::panic::resume_unwind(Box::new(0));
    }));
    assert!(outside.is_err());
    let inside = run(&line(1, 1), || {
        let _exit = AtExit(launch);
        panic!("inside");
    });
    assert_eq!(inside.unwrap_err().message, "inside");
    assert_eq!(passed.into_inner(), 2 * 3 * 64);
}

#[test]
fn a_barrier_that_is_met_while_threads_are_cancelled_is_met_for_all() {
    let failures = [AtomicU32::new(0), AtomicU32::new(0)];
    let meet = |t: usize| {
        while std::panic::catch_unwind(barrier).is_err() {
            failures[t].fetch_add(1, Ordering::Relaxed);
        }
    };
    run(&line(1, 3), || match backend::thread_rank() {
        0 => meet(0),
        1 => {
            let spin = std::panic::catch_unwind(|| {
                loop {
                    backend::spin_hint();
                }
            });
            assert!(spin.is_err());
            meet(1);
        }
        _ => panic!("so that the others are not waited for long"),
    })
    .unwrap_err();
    // The first thread is cancelled once with the second, and then meets it.
    assert_eq!(failures.map(AtomicU32::into_inner), [1, 0]);
}

#[test]
fn a_launch_waits_for_threads_that_catch_their_cancelling() {
    let ended = AtomicU32::new(0);
    run(&line(1, 3), || {
        if backend::thread_rank() == 0 {
            panic!("so that the others are not waited for long");
        }
        for _ in 0..2 {
            let spin = std::panic::catch_unwind(|| {
                loop {
                    backend::spin_hint();
                }
            });
            assert!(spin.is_err());
        }
        ended.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap_err();
    assert_eq!(ended.into_inner(), 2);
}
