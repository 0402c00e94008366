use super::{line, read_shared, write_shared};
use crate::sim::{backend, run};

const FULL: u32 = u32::MAX;

fn shuffle(f: unsafe fn(u32, u32, u32, u32) -> u32, mask: u32, value: u32, source: u32, width: u32) -> u32 {
    // SAFETY: on the simulator shuffles have no precondition.
    unsafe { f(mask, value, source, width) }
}

fn ballot(mask: u32, vote: bool) -> u32 {
    // SAFETY: on the simulator ballots have no precondition.
    unsafe { backend::ballot(mask, vote) }
}

#[test]
fn shuffles_of_all_widths_and_distances_follow_the_ptx_manual() {
    run(&line(2, 96), || {
        let lane = backend::lane_id() as i64;
        let value = |lane: i64| 1000 + lane as u32;
        for width in [1_i64, 2, 4, 8, 16, 32] {
            let first = lane / width * width;
            let inside = |from: i64| if from >= first && from < first + width { from } else { lane };
            for distance in 0..32_i64 {
                let d = distance as u32;
                let w = width as u32;
                let v = value(lane);
                assert_eq!(shuffle(backend::shuffle_idx, FULL, v, d, w), value(first + distance % width));
                assert_eq!(shuffle(backend::shuffle_up, FULL, v, d, w), value(inside(lane - distance)));
                assert_eq!(shuffle(backend::shuffle_down, FULL, v, d, w), value(inside(lane + distance)));
                let from = lane ^ distance;
                let from = if from < first + width { from } else { lane };
                assert_eq!(shuffle(backend::shuffle_xor, FULL, v, d, w), value(from));
            }
        }
    })
    .unwrap();
}

#[test]
fn lanes_read_other_lanes_at_their_own_choice() {
    run(&line(1, 64), || {
        let lane = backend::lane_id();
        assert_eq!(shuffle(backend::shuffle_idx, FULL, lane * 3, (lane * 7) % 32, 32), (lane * 7) % 32 * 3);
    })
    .unwrap();
}

#[test]
fn halves_of_a_warp_work_apart() {
    run(&line(1, 64), || {
        let lane = backend::lane_id();
        let (mask, turns) = if lane < 16 { (0x0000_ffff, 3) } else { (0xffff_0000, 11) };
        let mut sum = lane;
        for _ in 0..turns {
            sum = shuffle(backend::shuffle_xor, mask, sum, 1, 32);
        }
        assert_eq!(sum, lane ^ 1);
        assert_eq!(ballot(FULL, lane.is_multiple_of(2)), 0x5555_5555);
    })
    .unwrap();
}

#[test]
fn votes_count_the_lanes_of_the_mask() {
    run(&line(1, 32), || {
        let lane = backend::lane_id();
        if lane % 4 == 3 {
            return;
        }
        let mask = 0x7777_7777;
        assert_eq!(ballot(mask, lane > 8), mask & !0x1ff);
        // SAFETY: on the simulator votes have no precondition.
        let all = |vote| unsafe { backend::vote_all(mask, vote) };
        // SAFETY: as above.
        let any = |vote| unsafe { backend::vote_any(mask, vote) };
        assert!(all(true) && !all(lane != 30) && any(lane == 30) && !any(false));
    })
    .unwrap();
}

#[test]
fn a_warp_reduces_through_shared_memory_and_warp_barriers() {
    run(&line(3, 128), || {
        let (t, lane) = (backend::thread_rank(), backend::lane_id());
        // SAFETY: on the simulator warp barriers have no precondition.
        let sync = || unsafe { backend::warp_barrier(FULL) };
        write_shared(t, lane);
        sync();
        for distance in [16, 8, 4, 2, 1] {
            let other = if lane < distance { read_shared(t + distance) } else { 0 };
            sync();
            if lane < distance {
                write_shared(t, read_shared(t) + other);
            }
            sync();
        }
        assert_eq!(read_shared(t - lane), 31 * 16);
    })
    .unwrap();
}

#[test]
fn a_warp_barrier_passes_without_lanes_that_left_or_never_were() {
    run(&line(2, 48), || {
        let t = backend::thread_rank();
        if t % 5 == 1 {
            return;
        }
        for _ in 0..3 {
            // SAFETY: on the simulator warp barriers have no precondition.
            unsafe { backend::warp_barrier(FULL) };
        }
    })
    .unwrap();
}

#[test]
fn a_lane_that_left_is_reported_whenever_it_leaves() {
    for leaver in [0, 5, 31] {
        let error = run(&line(1, 32), || {
            if backend::lane_id() == leaver {
                return;
            }
            ballot(FULL, true);
        })
        .unwrap_err();
        assert_eq!(error.thread, [u32::from(leaver == 0), 0, 0]);
        let wanted = format!("ballot: the mask 0xffffffff names lane {leaver}, which has left the kernel");
        assert!(error.message.starts_with(&wanted), "{error}");
        assert!(error.file.ends_with("warps.rs"), "{error}");
    }
}

#[test]
fn absent_lanes_wrong_masks_sources_and_widths_are_reported() {
    let message = |threads, f: fn()| run(&line(1, threads), f).unwrap_err().message;
    let absent = message(40, || {
        if backend::thread_rank() >= 32 {
            ballot(FULL, true);
        }
    });
    assert_eq!(absent, "ballot: the mask 0xffffffff names lane 8, which the block does not have");
    let lacking = message(32, || {
        ballot(0xffff_0000, true);
    });
    assert_eq!(lacking, "ballot: the mask 0xffff0000 lacks lane 0, which calls");
    let outside = message(32, || {
        if backend::lane_id() < 4 {
            shuffle(backend::shuffle_xor, 0xf, 0, 4, 32);
        }
    });
    assert_eq!(outside, "shuffle: lane 0 reads lane 4, which the mask 0x0000000f leaves out");
    let width = message(32, || {
        shuffle(backend::shuffle_xor, FULL, 0, 4, 12);
    });
    assert_eq!(width, "shuffle: the width is 12; it may be 1, 2, 4, 8, 16 or 32");
}

#[test]
fn lanes_at_different_operations_are_reported_and_do_not_hang() {
    let error = run(&line(2, 32), || {
        if backend::lane_id() < 16 {
            ballot(FULL, true);
        } else {
            // SAFETY: on the simulator barriers have no precondition.
            unsafe { backend::block_barrier() };
        }
    })
    .unwrap_err();
    assert_eq!((error.block, error.thread), ([0; 3], [0; 3]));
    assert!(error.message.contains("this thread would wait for ever"), "{error}");
    assert!(
        error.message.contains("16 of the 32 threads that have not ended wait at a block barrier"),
        "{error}"
    );
    assert!(error.message.contains("lane 15 of warp 0 waits at a ballot with mask 0xffffffff"), "{error}");
}
