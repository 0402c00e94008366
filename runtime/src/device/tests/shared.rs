//! Phases of shared memory: who owns what, and the algorithms that they are for.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{SHAPES, Words, launch};
use crate::device::atomic::{Atomic, Atomics, Block, Ordering};
use crate::device::shared::{Double, Later, Rounds, Shared, SharedLayout, Tile};
use crate::device::thread;
use crate::device::view::DisjointSlice;
use crate::param::{Element, KernelParam};
use crate::sim::{self, LaunchSpec};

/// The one shared parameter of a thread.
fn shared<'b, L: SharedLayout + ?Sized>() -> Shared<'b, L> {
    // SAFETY: the tests reserve the bytes of the layout, and call this once per thread.
    unsafe { Shared::from_abi((), ()) }
}

fn bytes<L: SharedLayout + ?Sized>(tail: usize) -> usize {
    L::bytes(tail).expect("small")
}

/// Runs `kernel` in one block of `block` threads with an output of `len` elements.
fn run<L: SharedLayout + ?Sized, T: Element + Default>(
    block: u32,
    tail: usize,
    len: usize,
    kernel: impl Fn(Shared<'_, L>, DisjointSlice<'_, T>) + Sync,
) -> Vec<T> {
    let mut out = vec![T::default(); len];
    let words = Words::of(&mut out);
    launch([1, 1, 1], [block, 1, 1], bytes::<L>(tail), || {
        // SAFETY: once per thread.
        kernel(shared(), unsafe { words.view() });
    });
    out
}

fn noise(len: usize) -> Vec<u32> {
    let mut state = 12345_u32;
    let next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 8
    };
    std::iter::repeat_with(next).take(len).collect()
}

#[test]
fn elements_belong_to_threads_in_turn() {
    for (_, block) in SHAPES {
        let threads = block.iter().product::<u32>();
        launch([2, 1, 1], block, bytes::<[u32; 50]>(0), || {
            let mut phase = shared::<[u32; 50]>().phases();
            let mut own = phase.arrays();
            for (i, element) in own.iter_mut() {
                *element = 100 * i as u32 + thread::rank();
            }
            assert_eq!(
                own.nth(2).map(|e| *e / 100),
                (thread::rank() + 2 * threads < 50).then_some(thread::rank() + 2 * threads)
            );
            let mut phase = phase.sync();
            for (i, &element) in phase.arrays().iter().enumerate() {
                assert_eq!(element, 100 * i as u32 + i as u32 % threads);
            }
        });
    }
}

#[test]
fn each_and_every_element_is_set_by_its_owner() {
    for (_, block) in SHAPES {
        let threads = block.iter().product::<u32>();
        launch([2, 1, 1], block, bytes::<([u32; 50], Tile<u32, 3, 2>)>(0), || {
            let mut phase = shared::<([u32; 50], Tile<u32, 3, 2>)>().phases();
            let (mut own, mut tile) = phase.arrays();
            own.set_each(|i| 100 * i as u32 + thread::rank());
            tile.set(thread::rank());
            let mut phase = phase.sync();
            let (all, tile) = phase.arrays();
            for (i, &element) in all.iter().enumerate() {
                assert_eq!(element, 100 * i as u32 + i as u32 % threads);
            }
            for (row, column) in [(0, 0), (0, 1), (2, 1)] {
                if row < block[1] && column < block[0] {
                    assert_eq!(tile[row as usize][column as usize], row * block[0] + column);
                }
            }
        });
    }
}

#[test]
#[should_panic(expected = "rank is behind the end")]
fn a_rank_behind_the_end_of_a_slice_panics() {
    launch([1, 1, 1], [4, 1, 1], 0, || assert!([1, 2, 3][..][&thread::index()] > 0));
}

#[test]
fn places_of_a_tile_belong_to_threads_by_row_and_column() {
    for (_, block) in SHAPES {
        launch([1, 2, 1], block, bytes::<Tile<[u32; 2], 9, 11>>(0), || {
            let mut phase = shared::<Tile<[u32; 2], 9, 11>>().phases();
            let [x, y, _] = thread::idx();
            for ((row, column), element) in phase.arrays().iter_mut() {
                *element = [100 * row as u32 + column as u32, 100 * y + x];
            }
            let mut phase = phase.sync();
            for (row, line) in phase.arrays().iter().enumerate() {
                for (column, &element) in line.iter().enumerate() {
                    let (row, column) = (row as u32, column as u32);
                    assert_eq!(element, [100 * row + column, 100 * (row % block[1]) + column % block[0]]);
                }
            }
        });
    }
}

#[test]
fn a_nth_that_would_wrap_is_none() {
    launch([1, 1, 1], [4, 2, 1], bytes::<([u8; 16], Tile<u8, 4, 4>)>(0), || {
        let mut phase = shared::<([u8; 16], Tile<u8, 4, 4>)>().phases();
        let (mut array, mut tile) = phase.arrays();
        assert!(array.nth(u32::MAX).is_none());
        assert!(tile.nth(u32::MAX, 0).is_none());
        assert!(tile.nth(0, u32::MAX).is_none());
    });
}

#[test]
fn layouts_are_disjoint_and_aligned() {
    type Mixed = ([u8; 3], [f64; 2], Tile<u16, 3, 3>, Double<[u64; 1]>, [u32]);
    assert_eq!(Mixed::BYTES, 3 + 5 + 16 + 18 + 6 + 16);
    assert_eq!(bytes::<Mixed>(5), Mixed::BYTES + 20);
    launch([1, 1, 1], [4, 3, 1], bytes::<Mixed>(5), || {
        let mut phase = shared::<Mixed>().phases();
        let (mut a, mut b, mut c, (mut d, _), mut e) = phase.arrays();
        assert_eq!(e.len(), 5);
        a.set(1);
        b.set(2.0);
        c.set(3);
        d.set(4);
        e.set(5);
        let mut phase = phase.sync();
        let (a, b, c, (_, d), e) = phase.arrays();
        assert_eq!((a, b, c, d, e), (&[1; 3], &[2.0; 2], &[[3; 3]; 3], &[4; 1], &[5; 5][..]));
    });
}

#[test]
fn later_arrays_are_written_in_odd_intervals() {
    let out = run::<([u32; 8], Later<[u32; 8]>), u32>(8, 0, 8, |shared, mut out| {
        let i = thread::index();
        let mut phase = shared.phases();
        phase.arrays().0.set(10 + thread::rank());
        let mut phase = phase.sync();
        let (first, mut second) = phase.arrays();
        second.set(first[7 - i.get()]);
        let mut phase = phase.sync();
        out[&i] = phase.arrays().1[7 - i.get()] + 100;
    });
    assert_eq!(out, [110, 111, 112, 113, 114, 115, 116, 117]);
}

#[test]
fn sum_by_halves() {
    let x = &noise(256)[..];
    let out = run::<Double<[u32; 256]>, u32>(256, 0, 1, |shared, mut out| {
        let (i, rank) = (thread::index(), thread::rank() as usize);
        let mut sum = x[&i];
        let mut rounds = shared.rounds();
        let mut half = 128;
        while half > 0 {
            rounds.arrays().0.set(sum);
            rounds.sync();
            if rank < half {
                sum = sum.wrapping_add(rounds.arrays().1[rank + half]);
            }
            half /= 2;
        }
        if let Some(out) = out.get_mut(&i) {
            *out = sum;
        }
    });
    assert_eq!(out, [x.iter().copied().fold(0, u32::wrapping_add)]);
}

#[test]
fn inclusive_scan() {
    let x = &noise(100)[..];
    let out = run::<Double<[u32; 100]>, u32>(100, 0, 100, |shared, mut out| {
        let (i, rank) = (thread::index(), thread::rank() as usize);
        let mut sum = x[&i];
        let mut rounds = shared.rounds();
        let mut distance = 1;
        while distance < 100 {
            rounds.arrays().0.set(sum);
            rounds.sync();
            if rank >= distance {
                sum = sum.wrapping_add(rounds.arrays().1[rank - distance]);
            }
            distance *= 2;
        }
        out[&i] = sum;
    });
    let want: Vec<u32> = x
        .iter()
        .scan(0_u32, |sum, &x| {
            *sum = sum.wrapping_add(x);
            Some(*sum)
        })
        .collect();
    assert_eq!(out, want);
}

#[test]
fn bitonic_sort() {
    let x = &noise(128)[..];
    let out = run::<Double<[u32; 128]>, u32>(128, 0, 128, |shared, mut out| {
        let (i, rank) = (thread::index(), thread::rank() as usize);
        let mut mine = x[&i];
        let mut rounds = shared.rounds();
        let mut size = 2;
        while size <= 128 {
            let mut distance = size / 2;
            while distance > 0 {
                rounds.arrays().0.set(mine);
                rounds.sync();
                let other = rounds.arrays().1[rank ^ distance];
                let ascending = rank & size == 0;
                let lower = rank & distance == 0;
                mine = if ascending == lower { mine.min(other) } else { mine.max(other) };
                distance /= 2;
            }
            size *= 2;
        }
        out[&i] = mine;
    });
    let mut want = x.to_vec();
    want.sort_unstable();
    assert_eq!(out, want);
}

#[test]
fn histogram_with_shared_bins() {
    let x = &noise(1000)[..];
    let mut bins = vec![0_u32; 16];
    let words = Words::of(&mut bins);
    launch([4, 1, 1], [250, 1, 1], bytes::<[Atomic<u32, Block>; 16]>(0), || {
        // SAFETY: once per thread.
        let total: Atomics<'_, u32> = unsafe { words.view() };
        let rank = thread::rank() as usize;
        let mut rounds = shared::<[Atomic<u32, Block>; 16]>().rounds();
        if let Some(bin) = rounds.arrays().get(rank) {
            bin.store(0, Ordering::Relaxed);
        }
        rounds.sync();
        rounds.arrays()[x[&thread::index()] as usize % 16].fetch_add(1, Ordering::Relaxed);
        rounds.sync();
        if let Some(bin) = rounds.arrays().get(rank) {
            total[rank].fetch_add(bin.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    });
    let mut want = vec![0; 16];
    x.iter().for_each(|&x| want[x as usize % 16] += 1);
    assert_eq!(bins, want);
}

#[test]
fn threads_that_leave_early_are_not_waited_for() {
    let out = run::<[u32; 8], u32>(8, 0, 8, |shared, mut out| {
        let i = thread::index();
        let mut phase = shared.phases();
        phase.arrays().set(i.get() as u32 + 1);
        if i.get() % 2 == 1 {
            return;
        }
        let mut phase = phase.sync();
        out[&i] = phase.arrays()[i.get() ^ 2];
    });
    assert_eq!(out, [3, 0, 1, 0, 7, 0, 5, 0]);
}

/// Threads that disagree about their barriers read values of another step, and nothing worse.
#[test]
fn barriers_at_different_places_pair_by_count() {
    let out = run::<[u32; 4], u32>(4, 0, 4, |shared, mut out| {
        let i = thread::index();
        let mut phase = shared.phases();
        phase.arrays().set(i.get() as u32 + 1);
        let mut phase = if i.get() < 2 { phase.sync() } else { phase.sync().sync().sync() };
        out[&i] = phase.arrays().iter().sum();
    });
    assert_eq!(out, [10; 4]);
}

#[test]
#[should_panic(expected = "too little shared memory")]
fn a_launch_without_the_memory_is_caught() {
    launch([1, 1, 1], [1, 1, 1], 12, || {
        shared::<[u32; 4]>();
    });
}

#[test]
fn raw_arrays_are_the_same_memory() {
    let out = run::<([u32; 4], Tile<u32, 2, 2>), u32>(4, 0, 4, |shared, mut out| {
        let i = thread::index();
        let (array, tile) = shared.raw();
        let rank = i.get();
        // SAFETY: each thread writes its own elements until the barrier.
        unsafe { array.store(rank, rank as u32) };
        // SAFETY: as above.
        unsafe { tile.store(rank / 2, rank % 2, 10 * rank as u32) };
        // SAFETY: as above.
        unsafe { tile.update(rank / 2, rank % 2, |value| value + 1) };
        // SAFETY: every thread reaches it.
        unsafe { crate::device::barrier::sync_threads() };
        // SAFETY: behind the barrier nobody writes.
        let a = unsafe { array.load(3 - rank) };
        // SAFETY: as above.
        out[&i] = a + unsafe { tile.load((3 - rank) / 2, (3 - rank) % 2) };
    });
    assert_eq!(out, [34, 23, 12, 1]);
}

#[test]
#[should_panic(expected = "outside the shared array")]
fn a_raw_index_outside_panics() {
    run::<[u32; 4], u32>(1, 0, 1, |shared, _| {
        // SAFETY: the index is refused.
        unsafe { shared.raw().store(4, 1) };
    });
}

#[test]
fn a_destructor_in_a_panic_stays_in_its_interval() {
    /// Goes on to the next interval when it is dropped, and writes there.
    struct Late<'b>(Rounds<'b, Double<[u32; 2]>>);
    impl Drop for Late<'_> {
        fn drop(&mut self) {
            let went = catch_unwind(AssertUnwindSafe(|| self.0.sync()));
            assert_eq!(went.is_err(), std::thread::panicking());
        }
    }
    let spec = LaunchSpec {
        grid: [1; 3],
        block: [2, 1, 1],
        shared_bytes: bytes::<Double<[u32; 2]>>(0),
        kernel: "test",
        launch: 1,
    };
    let error = sim::run(&spec, || {
        let _late = Late(shared().rounds());
        if thread::rank() == 0 {
            panic!("first");
        }
    });
    assert!(error.is_err());
}
