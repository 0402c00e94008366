//! Each atomic operation against its definition, and the count that races would lose.

use super::{Words, launch};
use crate::device::atomic::{self, Atomic, Atomics, Ordering};

/// Runs `body` in one thread, with one atomic of value `start`, and returns the value it leaves.
fn one<T: atomic::AtomicElement>(start: T, body: impl Fn(&Atomic<T>) + Sync) -> T {
    let mut memory = [start];
    let words = Words::of(&mut memory);
    launch([1, 1, 1], [1, 1, 1], 0, || {
        // SAFETY: once per thread.
        let view: Atomics<'_, T> = unsafe { words.view() };
        body(&view[0]);
    });
    memory[0]
}

const ORDERS: [Ordering; 5] =
    [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::SeqCst];

macro_rules! integers {
    ($($name:ident: $t:ty;)*) => { $(
        #[test]
        fn $name() {
            let samples = [0, 1, 2, 77, <$t>::MAX, <$t>::MIN, <$t>::MAX / 3];
            for a in samples {
                for b in samples {
                    for order in ORDERS {
                        let check = |want: $t, operation: fn(&Atomic<$t>, $t, Ordering) -> $t| {
                            assert_eq!(one(a, |cell| assert_eq!(operation(cell, b, order), a)), want);
                            // The same for the whole system.
                            assert_eq!(one(a, |cell| {
                                let system = cell.system();
                                let old = system.load(Ordering::SeqCst);
                                assert_eq!(system.swap(old, order), a);
                                assert_eq!(operation(cell, b, order), a);
                            }), want);
                        };
                        check(a.wrapping_add(b), Atomic::fetch_add);
                        check(a.wrapping_sub(b), Atomic::fetch_sub);
                        check(a.min(b), Atomic::fetch_min);
                        check(a.max(b), Atomic::fetch_max);
                        check(a & b, Atomic::fetch_and);
                        check(a | b, Atomic::fetch_or);
                        check(a ^ b, Atomic::fetch_xor);
                        check(b, Atomic::swap);
                        for wanted in [a, b] {
                            let left = one(a, |cell| {
                                let result = cell.compare_exchange(wanted, 5, order, Ordering::Relaxed);
                                assert_eq!(result, if wanted == a { Ok(a) } else { Err(a) });
                            });
                            assert_eq!(left, if wanted == a { 5 } else { a });
                        }
                    }
                }
            }
        }
    )* };
}

integers! {
    operations_on_i32: i32;
    operations_on_u32: u32;
    operations_on_i64: i64;
    operations_on_u64: u64;
}

#[test]
fn floats_add_exchange_and_compare_by_bits() {
    assert_eq!(one(1.5_f32, |cell| assert_eq!(cell.fetch_add(2.0, Ordering::Relaxed), 1.5)), 3.5);
    assert_eq!(one(1.5_f64, |cell| assert_eq!(cell.fetch_sub(2.0, Ordering::SeqCst), 1.5)), -0.5);
    assert!(one(f32::NAN, |cell| assert!(cell.fetch_add(1.0, Ordering::Relaxed).is_nan())).is_nan());
    let left = one(f64::NAN, |cell| {
        assert!(cell.compare_exchange(f64::NAN, 2.0, Ordering::Relaxed, Ordering::Relaxed).is_ok());
    });
    assert_eq!(left, 2.0);
    let left = one(0.0_f32, |cell| {
        assert!(cell.compare_exchange(-0.0, 2.0, Ordering::Relaxed, Ordering::Relaxed).is_err());
    });
    assert_eq!(left.to_bits(), 0);
}

#[test]
fn no_update_is_lost_among_blocks() {
    let mut ints = [0_u64; 2];
    let mut floats = [0.0_f32; 1];
    let (int_words, float_words) = (Words::of(&mut ints), Words::of(&mut floats));
    launch([64, 1, 1], [128, 1, 1], 0, || {
        // SAFETY: once per thread.
        let ints: Atomics<'_, u64> = unsafe { int_words.view() };
        // SAFETY: once per thread.
        let floats: Atomics<'_, f32> = unsafe { float_words.view() };
        ints[0].fetch_add(1, Ordering::Relaxed);
        ints[1].fetch_max(crate::device::thread::index().get() as u64, Ordering::Relaxed);
        floats[0].fetch_add(0.5, Ordering::Relaxed);
    });
    assert_eq!((ints, floats), ([8192, 8191], [4096.0]));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn an_index_outside_panics() {
    let mut memory = [0_u32; 3];
    let words = Words::of(&mut memory);
    launch([1, 1, 1], [1, 1, 1], 0, || {
        // SAFETY: once per thread.
        let view: Atomics<'_, u32> = unsafe { words.view() };
        view[3].store(1, Ordering::Relaxed);
    });
}

/// Each way to wait for another thread of the block ends, though the one waited for runs last.
#[test]
fn loops_that_wait_let_others_run() {
    let mut memory = [0_u32; 4];
    let words = Words::of(&mut memory);
    launch([1, 1, 1], [8, 1, 1], 0, || {
        // SAFETY: once per thread.
        let cells: Atomics<'_, u32> = unsafe { words.view() };
        if crate::device::thread::rank() == 7 {
            cells[0].store(1, Ordering::Release);
        } else {
            while cells[0].load(Ordering::Acquire) == 0 {}
        }
        // Two kinds of lock.
        while cells[1].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
        while cells[2].swap(1, Ordering::Acquire) == 1 {}
        let count = cells[3].load(Ordering::Relaxed);
        cells[3].store(count + 1, Ordering::Relaxed);
        cells[2].store(0, Ordering::Release);
        cells[1].store(0, Ordering::Release);
    });
    assert_eq!(memory, [1, 0, 0, 8]);
}
