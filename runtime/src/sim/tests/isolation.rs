use std::sync::atomic::{AtomicU32, Ordering};

use super::{Global, barrier, line, read_shared, spec, write_shared};
use crate::sim::check::Mode;
use crate::sim::launch::run_in;
use crate::sim::{backend, run};

#[test]
fn launches_nest() {
    let out = Global::new(8, 0);
    run(&line(2, 4), || {
        let (me, place) = (backend::grid_rank(), (backend::block_idx(), backend::thread_idx()));
        write_shared(backend::thread_rank(), 77);
        barrier();
        let inner = AtomicU32::new(0);
        run(&spec([3, 1, 1], [5, 2, 1]), || {
            assert_eq!(backend::block_dim(), [5, 2, 1]);
            assert_eq!(read_shared(0), 0xa5a5_a5a5);
            barrier();
            inner.fetch_add(1 + me as u32, Ordering::Relaxed);
            barrier();
            write_shared(0, 5);
        })
        .unwrap();
        assert_eq!((backend::block_idx(), backend::thread_idx()), place);
        assert_eq!(read_shared(backend::thread_rank()), 77);
        barrier();
        let failed = run(&line(1, 2), || {
            barrier();
            panic!("inside")
        });
        assert_eq!(failed.unwrap_err().message, "inside");
        out.set(me as usize, inner.into_inner());
        barrier();
    })
    .unwrap();
    assert_eq!(out.to_vec(), (1..=8).map(|me| me * 30).collect::<Vec<_>>());
    assert!(std::panic::catch_unwind(backend::thread_rank).is_err());
}

#[test]
fn sixteen_host_threads_launch_at_once() {
    std::thread::scope(|scope| {
        for host in 0..16_u32 {
            scope.spawn(move || {
                for turn in 0..30_u32 {
                    let (blocks, threads) = (1 + (host + turn) % 40, 32 + (host * 7 + turn) % 100);
                    let out = Global::new((blocks * threads) as usize, 0);
                    run(&line(blocks, threads), || {
                        let t = backend::thread_rank();
                        assert_eq!(backend::block_dim()[0], threads);
                        write_shared(t, host * 1000 + t);
                        barrier();
                        let other = read_shared(threads - 1 - t);
                        barrier();
                        out.set(backend::grid_rank() as usize, other);
                    })
                    .unwrap();
                    for (i, value) in out.to_vec().into_iter().enumerate() {
                        assert_eq!(value, host * 1000 + threads - 1 - i as u32 % threads);
                    }
                }
            });
        }
    });
}

#[test]
fn large_launches_use_several_os_threads_and_a_block_stays_on_one() {
    let spread = std::sync::Mutex::new(std::collections::HashSet::new());
    run_in(Mode::Fast, &line(3000, 64), || {
        let here = std::thread::current().id();
        for _ in 0..3 {
            barrier();
            assert_eq!(std::thread::current().id(), here);
        }
        if backend::thread_rank() == 0 {
            spread.lock().unwrap().insert(here);
        }
    })
    .unwrap();
    let spread = spread.into_inner().unwrap().len();
    assert!(spread <= rayon::current_num_threads(), "{spread}");
    assert!(spread > 1 || rayon::current_num_threads() == 1, "{spread}");
}

#[test]
fn launches_from_within_the_pool_work() {
    use rayon::prelude::*;
    let sum: u32 = (0..64_u32)
        .into_par_iter()
        .map(|i| {
            let count = AtomicU32::new(0);
            run(&line(40, 64), || {
                barrier();
                count.fetch_add(i, Ordering::Relaxed);
            })
            .unwrap();
            count.into_inner()
        })
        .sum();
    assert_eq!(sum, (0..64).sum::<u32>() * 40 * 64);
}
