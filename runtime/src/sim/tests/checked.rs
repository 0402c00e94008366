//! Kernels with a known verdict, under several seeds.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{Global, barrier, line, shared, spec};
use crate::device::Access;
use crate::host::KernelPanic;
use crate::sim::check::Mode;
use crate::sim::launch::run_in;
use crate::sim::{LaunchSpec, backend};

const SEEDS: u64 = 16;

/// Runs a kernel under 16 seeds, each twice, and returns the reports; equal seeds must give equal reports.
fn reports(spec: &LaunchSpec, kernel: impl Fn() + Sync) -> Vec<Option<KernelPanic>> {
    let once = |seed| run_in(Mode::Checked { seed, strict: true }, spec, &kernel).err();
    (0..SEEDS)
        .map(|seed| {
            let report = once(seed);
            assert_eq!(report, once(seed), "seed {seed} is not repeatable");
            report
        })
        .collect()
}

#[track_caller]
fn clean(spec: &LaunchSpec, kernel: impl Fn() + Sync) {
    if let Some(report) = reports(spec, kernel).into_iter().flatten().next() {
        panic!("false alarm: {report}");
    }
}

/// The kernel is reported under every seed, and each report contains `text`.
#[track_caller]
fn faulty(spec: &LaunchSpec, text: &str, kernel: impl Fn() + Sync) {
    for (seed, report) in reports(spec, kernel).into_iter().enumerate() {
        let report = report.unwrap_or_else(|| panic!("seed {seed}: nothing found"));
        assert!(report.message.contains(text), "seed {seed}: {report}");
        assert!(report.message.contains(&format!("(seed {seed})")), "seed {seed}: {report}");
        assert!(report.file.ends_with("checked.rs"), "{report}");
    }
}

const RACE: &str = "data race";
const UNWRITTEN: &str = "reads what no thread of the block has written";

fn t() -> u32 {
    backend::thread_rank()
}

#[track_caller]
fn load(i: u32) -> u32 {
    backend::access(shared(i), Access::Load);
    super::read_shared(i)
}

#[track_caller]
fn store(i: u32, value: u32) {
    backend::access(shared(i), Access::Store);
    super::write_shared(i, value);
}

fn warp_sync() {
    // SAFETY: on the simulator warp barriers have no precondition.
    unsafe { backend::warp_barrier(u32::MAX) }
}

/// A buffer of numbers with raw and atomic accesses.
struct Memory(Vec<AtomicU32>);

impl Memory {
    fn new(len: usize) -> Self {
        Self((0..len).map(|_| AtomicU32::new(0)).collect())
    }

    #[track_caller]
    fn noted(&self, i: u32, kind: Access) -> &AtomicU32 {
        let cell = &self.0[i as usize];
        backend::access(cell.as_ptr().cast_const(), kind);
        cell
    }

    #[track_caller]
    fn load(&self, i: u32) -> u32 {
        self.noted(i, Access::Load).load(Ordering::Relaxed)
    }

    #[track_caller]
    fn store(&self, i: u32, value: u32) {
        self.noted(i, Access::Store).store(value, Ordering::Relaxed);
    }

    #[track_caller]
    fn atomic_load(&self, i: u32) -> u32 {
        self.noted(i, Access::AtomicLoad).load(Ordering::Relaxed)
    }

    #[track_caller]
    fn atomic_store(&self, i: u32, value: u32) {
        self.noted(i, Access::AtomicStore).store(value, Ordering::Relaxed);
    }

    #[track_caller]
    fn add(&self, i: u32, value: u32) -> u32 {
        self.noted(i, Access::AtomicUpdate).fetch_add(value, Ordering::Relaxed)
    }
}

fn i() -> u32 {
    backend::grid_rank() as u32
}

#[test]
fn a_missing_barrier_between_store_and_load_is_a_race() {
    faulty(&line(1, 64), RACE, || {
        store(t(), t());
        load(63 - t());
    });
    clean(&line(1, 64), || {
        store(t(), t());
        barrier();
        load(63 - t());
    });
}

#[test]
fn the_next_round_must_not_meet_the_last_ones_reads() {
    let rounds = |at_end: bool| {
        move || {
            for round in 0..3 {
                store(t(), round);
                barrier();
                load(63 - t());
                if at_end {
                    barrier();
                }
            }
        }
    };
    faulty(&line(1, 64), RACE, rounds(false));
    clean(&line(1, 64), rounds(true));
}

#[test]
fn tree_reductions_need_their_barrier_in_the_loop() {
    let reduce = |inside: bool| {
        move || {
            store(t(), 1);
            barrier();
            let mut distance = 64;
            while distance > 0 {
                if t() < distance {
                    store(t(), load(t()) + load(t() + distance));
                }
                if inside {
                    barrier();
                }
                distance /= 2;
            }
            barrier();
            if inside {
                assert_eq!(load(0), 128);
            }
        }
    };
    clean(&line(2, 128), reduce(true));
    faulty(&line(2, 128), RACE, reduce(false));
}

#[test]
fn warp_synchronous_code_needs_warp_barriers() {
    let tail = |sync: bool| {
        move || {
            store(t(), 1);
            if sync {
                warp_sync();
            }
            for distance in [16, 8, 4, 2, 1] {
                let other = if t() < distance { load(t() + distance) } else { 0 };
                if sync {
                    warp_sync();
                }
                if t() < distance {
                    store(t(), load(t()) + other);
                }
                if sync {
                    warp_sync();
                }
            }
        }
    };
    clean(&line(1, 32), tail(true));
    faulty(&line(1, 32), RACE, tail(false));
    // A warp barrier does not reach the other warp.
    faulty(&line(1, 64), RACE, || {
        store(t(), t());
        warp_sync();
        load((t() + 32) % 64);
    });
}

#[test]
fn neighbours_in_global_memory_race_across_and_within_blocks() {
    let a = Memory::new(128);
    faulty(&line(4, 32), RACE, || {
        if i() > 0 {
            a.store(i(), a.load(i() - 1));
        }
    });
    let a = Memory::new(128);
    faulty(&line(4, 32), RACE, || {
        a.store(i(), 1);
        barrier();
        a.load((i() + 1) % 128);
    });
    let a = Memory::new(256);
    clean(&line(4, 64), || {
        a.store(i(), 1);
        barrier();
        let first = i() - t();
        a.load(first + (t() + 1) % 64);
    });
    let a = Memory::new(65);
    faulty(&line(1, 64), RACE, || a.store(t(), a.load(t() + 1)));
    let a = Memory::new(65);
    clean(&line(1, 64), || {
        let next = a.load(t() + 1);
        barrier();
        a.store(t(), next);
    });
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let bins = Memory::new(8);
    clean(&line(4, 64), || {
        bins.add(t() % 8, 1);
    });
    let zeroed = |sync: bool| {
        let h = Memory::new(1);
        move || {
            if t() == 0 {
                h.store(0, 0);
            }
            if sync {
                barrier();
            }
            h.add(0, 1);
        }
    };
    faulty(&line(1, 64), RACE, zeroed(false));
    clean(&line(1, 64), zeroed(true));
    let v = Memory::new(1);
    clean(&line(8, 64), || {
        v.load(0);
    });
}

#[test]
fn a_flag_orders_what_its_fences_order() {
    let message = |writer_fence: bool, reader_fence: bool| {
        let memory = Memory::new(2);
        move || {
            let (data, flag) = (0, 1);
            if backend::block_idx()[0] == 0 {
                memory.store(data, 42);
                if writer_fence {
                    backend::fence_device();
                }
                memory.atomic_store(flag, 1);
            } else {
                while memory.atomic_load(flag) == 0 {
                    backend::spin_hint();
                }
                if reader_fence {
                    backend::fence_device();
                }
                assert_eq!(memory.load(data), 42);
            }
        }
    };
    // The flag keeps its value between launches, so each launch gets a kernel of its own.
    for seed in 0..SEEDS {
        let run = |writer, reader| {
            run_in(Mode::Checked { seed, strict: true }, &line(2, 1), &message(writer, reader))
        };
        run(true, true).unwrap();
        for (writer, reader) in [(false, true), (true, false), (false, false)] {
            let report = run(writer, reader).unwrap_err();
            assert!(report.message.contains(RACE), "{report}");
        }
    }
}

#[test]
fn unwritten_shared_memory_is_reported() {
    faulty(&line(1, 64), UNWRITTEN, || {
        store(t() + 1, 1);
        barrier();
        load(t());
        load(t() + 1);
    });
    faulty(&line(1, 64), UNWRITTEN, || store(t(), load(t()) + 1));
    // Also in the second block, where the first has left its values.
    faulty(&line(2, 64), UNWRITTEN, || {
        if backend::block_idx()[0] == 0 {
            store(t(), 1);
        } else {
            load(t());
        }
    });
}

#[test]
fn a_barrier_that_part_of_a_block_has_left_behind_is_reported() {
    faulty(&line(1, 64), "the block barrier is not reached by threads 14..=63, which have left", || {
        if t() < 14 {
            barrier();
        }
    });
    faulty(&line(2, 64), "not reached by threads 36..=63, which have left", || {
        if i() < 100 {
            barrier();
        }
    });
    // The GPU allows it: unless strictness is asked for, it is no error.
    let mode = Mode::Checked { seed: 1, strict: false };
    run_in(mode, &line(1, 64), || {
        if t() < 14 {
            barrier();
        }
    })
    .unwrap();
    // A thread that panicked is no divergence.
    let report = run_in(Mode::Checked { seed: 1, strict: true }, &line(1, 64), || {
        assert!(t() != 7, "seven");
        barrier();
    });
    assert_eq!(report.unwrap_err().message, "seven");
}

#[test]
fn disjoint_bytes_of_a_word_do_not_race() {
    let bytes = Global::new(64, 0_u8);
    let at = |i: u32| bytes.at(i as usize);
    clean(&line(1, 64), || {
        backend::access(at(t()), Access::Store);
        // SAFETY: each thread has its own byte.
        unsafe { at(t()).write(1) };
        barrier();
        if t() < 16 {
            backend::access(at(t() * 4).cast::<u32>(), Access::Load);
        }
    });
    faulty(&line(1, 64), RACE, || {
        backend::access(at(t()), Access::Store);
        if t() < 16 {
            backend::access(at(t() * 4).cast::<u32>(), Access::Load);
        }
    });
}

#[test]
fn double_buffers_are_clean() {
    clean(&line(2, 64), || {
        store(t(), t());
        barrier();
        for round in 0..4 {
            let (from, to) = (round % 2 * 64, (round + 1) % 2 * 64);
            let next = load(from + (t() + 1) % 64);
            store(to + t(), next);
            barrier();
        }
        assert_eq!(load(t()), (t() + 4) % 64);
    });
}

#[test]
fn a_report_names_both_accesses() {
    let written = line!() + 3;
    let kernel = || {
        if t() == 5 {
            store(9, 1);
        }
        if t() == 40 {
            load(9);
        }
    };
    let report =
        run_in(Mode::Checked { seed: 3, strict: true }, &spec([1, 1, 1], [8, 8, 1]), kernel).unwrap_err();
    assert_eq!((report.thread, report.line), ([0, 5, 0], written + 3));
    assert!(
        report
            .message
            .starts_with("data race: this read of 4 bytes, bytes 36.. of shared memory, and the write at "),
        "{report}"
    );
    let other =
        format!("checked.rs:{written}:13 by thread [5, 0, 0] of block [0, 0, 0] are not ordered (seed 3)");
    assert!(report.message.ends_with(&other), "{report}");
}

#[test]
fn seeds_change_the_order_of_blocks_and_threads() {
    use std::sync::Mutex;
    let orders: std::collections::HashSet<Vec<u32>> = (0..SEEDS)
        .map(|seed| {
            let order = Mutex::new(Vec::new());
            run_in(Mode::Checked { seed, strict: true }, &line(5, 4), || {
                barrier();
                order.lock().unwrap().push(i());
            })
            .unwrap();
            let order = order.into_inner().unwrap();
            let mut all = order.clone();
            all.sort_unstable();
            assert_eq!(all, (0..20).collect::<Vec<_>>());
            order
        })
        .collect();
    assert!(orders.len() as u64 >= SEEDS - 2, "{} orders", orders.len());
}
