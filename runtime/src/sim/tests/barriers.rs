use super::{Global, barrier, line, read_shared, spec, write_shared};
use crate::sim::{backend, run};

#[test]
fn every_thread_of_an_odd_grid_runs_once_and_knows_its_place() {
    for (grid, block) in
        [([3, 2, 5], [7, 3, 2]), ([1, 1, 1], [1, 1, 1]), ([5, 1, 1], [33, 1, 1]), ([1, 3, 1], [1, 1, 64])]
    {
        let threads = |axes: [u32; 3]| axes.iter().product::<u32>();
        let places =
            Global::new((threads(grid) * threads(block)) as usize, ([u32::MAX; 3], [u32::MAX; 3], 0));
        run(&spec(grid, block), || {
            assert_eq!((backend::grid_dim(), backend::block_dim()), (grid, block));
            let ([bx, by, bz], [x, y, z]) = (backend::block_idx(), backend::thread_idx());
            let rank = (z * block[1] + y) * block[0] + x;
            let block_rank = (bz * grid[1] + by) * grid[0] + bx;
            assert_eq!(backend::thread_rank(), rank);
            assert_eq!(backend::lane_id(), rank % 32);
            assert_eq!(backend::grid_rank(), u64::from(block_rank * threads(block) + rank));
            let index = backend::grid_rank() as usize;
            let times = places.get(index).2 + 1;
            places.set(index, ([bx, by, bz], [x, y, z], times));
        })
        .unwrap();
        for (index, place) in places.to_vec().into_iter().enumerate() {
            let split = |i: u32, axes: [u32; 3]| [i % axes[0], i / axes[0] % axes[1], i / axes[0] / axes[1]];
            let index = index as u32;
            assert_eq!(place, (split(index / threads(block), grid), split(index % threads(block), block), 1));
        }
    }
}

#[test]
fn places_survive_waiting() {
    run(&spec([2, 3, 2], [5, 7, 3]), || {
        let place =
            || (backend::block_idx(), backend::thread_idx(), backend::grid_rank(), backend::shared_base());
        let before = place();
        for _ in 0..5 {
            barrier();
            assert_eq!(place(), before);
        }
    })
    .unwrap();
}

#[test]
fn no_thread_of_an_empty_grid_or_block_runs() {
    run(&spec([0, 1, 1], [32, 1, 1]), || panic!("ran")).unwrap();
    run(&spec([1, 1, 1], [1, 0, 1]), || panic!("ran")).unwrap();
}

#[test]
fn block_indices_do_not_overflow() {
    use crate::sim::launch::Launch;
    let long = line(0x7fff_ffff, 1024);
    assert_eq!(Launch::new(&long, 0x7fff_ffff, 1024).block_idx(0x7fff_fffe), [0x7fff_fffe, 0, 0]);
    let wide = spec([0x7fff_ffff, 65_535, 65_535], [1, 1, 1]);
    let blocks = 0x7fff_ffff * 65_535 * 65_535;
    assert_eq!(Launch::new(&wide, blocks, 1).block_idx(blocks - 1), [0x7fff_fffe, 65_534, 65_534]);
}

#[test]
fn a_barrier_orders_writes_and_reads_of_shared_memory() {
    for threads in [1, 2, 31, 32, 33, 64, 255, 256, 1000] {
        run(&line(3, threads), || {
            let t = backend::thread_rank();
            for round in 0..4 {
                write_shared(t, t * 10 + round);
                barrier();
                assert_eq!(read_shared(threads - 1 - t), (threads - 1 - t) * 10 + round);
                barrier();
            }
        })
        .unwrap();
    }
}

#[test]
fn threads_that_return_early_are_not_waited_for() {
    for leavers in [0, 1, 17, 63, 64] {
        let sums = Global::new(4, 0);
        run(&line(4, 64), || {
            let t = backend::thread_rank();
            write_shared(t, 1);
            barrier();
            // The first, the last, or some in between.
            if (t * 37) % 64 < leavers {
                return;
            }
            for _ in 0..3 {
                barrier();
            }
            let here = 1 + sums.get(backend::block_idx()[0] as usize);
            sums.set(backend::block_idx()[0] as usize, here);
            barrier();
            assert_eq!(sums.get(backend::block_idx()[0] as usize), 64 - leavers);
        })
        .unwrap();
        assert_eq!(sums.to_vec(), [64 - leavers; 4]);
    }
}

#[test]
fn the_last_thread_may_leave_while_all_others_wait() {
    run(&line(2, 128), || {
        if backend::thread_rank() != 127 {
            barrier();
        }
    })
    .unwrap();
}

#[inline(never)]
fn helper(depth: u32) {
    if depth == 0 { barrier() } else { helper(depth - 1) }
}

#[test]
fn barriers_in_helpers_and_in_data_dependent_loops_pair_by_count() {
    run(&line(2, 96), || {
        let t = backend::thread_rank();
        write_shared(0, 5);
        helper(t % 7);
        let turns = read_shared(0);
        for turn in 0..turns {
            if t.is_multiple_of(2) {
                helper(3)
            } else {
                barrier()
            }
            write_shared(1 + t, turn);
            helper(0);
            assert_eq!(read_shared(1 + (t + 1) % 96), turn);
        }
    })
    .unwrap();
}

#[test]
fn a_barrier_counts_votes_of_those_who_take_part() {
    run(&line(2, 100), || {
        let t = backend::thread_rank();
        if t >= 90 {
            return;
        }
        // SAFETY: on the simulator these have no precondition.
        let count = unsafe { backend::block_barrier_count(t.is_multiple_of(3)) };
        assert_eq!(count, 30);
        // SAFETY: as above.
        let and = |vote| unsafe { backend::block_barrier_and(vote) };
        assert!(and(true) && !and(t != 89));
        // SAFETY: as above.
        let or = |vote| unsafe { backend::block_barrier_or(vote) };
        assert!(or(t == 89) && !or(false));
    })
    .unwrap();
}

#[test]
fn shared_memory_is_poisoned_for_each_block_and_aligned() {
    run(&line(40, 32), || {
        assert_eq!(backend::shared_base().addr() % 128, 0);
        let t = backend::thread_rank();
        assert_eq!(read_shared(t), 0xa5a5_a5a5);
        assert_eq!(read_shared(1023), 0xa5a5_a5a5);
        barrier();
        write_shared(t, 1);
        write_shared(1023, 1);
    })
    .unwrap();
}

#[test]
fn threads_that_spin_let_others_run() {
    use std::sync::atomic::{AtomicU32, Ordering};
    // Within a block, on a thread with a higher rank; and across blocks, in both directions.
    let flag = AtomicU32::new(0);
    run(&line(1, 64), || {
        if backend::thread_rank() == 63 {
            flag.store(1, Ordering::Relaxed);
        }
        while flag.load(Ordering::Relaxed) == 0 {
            backend::spin_hint();
        }
    })
    .unwrap();
    let arrived = AtomicU32::new(0);
    for blocks in [2, 20, 100] {
        arrived.store(0, Ordering::Relaxed);
        run(&line(blocks, 64), || {
            barrier();
            if backend::thread_rank() == 5 {
                arrived.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < blocks {
                    backend::spin_hint();
                }
            }
            barrier();
            assert_eq!(arrived.load(Ordering::Relaxed), blocks);
        })
        .unwrap();
    }
}
