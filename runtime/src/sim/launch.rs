//! From a launch to its blocks.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::block::MAX_THREADS;
use super::check::{Checker, Mode};
use super::current::{CURRENT, Current};
use super::limits::limits;
use super::panic::{Record, install_hook};
use super::worker::Worker;
use crate::host::KernelPanic;

/// What a launch is to run.
#[derive(Clone, Debug)]
pub(crate) struct LaunchSpec {
    /// Blocks along x, y and z, within [`limits`](super::limits).
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z, within [`limits`](super::limits).
    pub block: [u32; 3],
    /// Shared memory of each block in bytes.
    pub shared_bytes: usize,
    /// Name of the kernel, for reports.
    pub kernel: &'static str,
    /// Number of the launch, for reports.
    pub launch: u64,
}

/// A launch of at most so many threads runs on the calling thread alone.
const SMALL_THREADS: u64 = 1024;
/// Any other begins there as well, and calls for help if it is not done after this time.
const ALONE: Duration = Duration::from_micros(20);
/// Threads that a worker claims at a time.
const CLAIM_THREADS: u64 = 1 << 15;

/// Runs `kernel` once for every thread of the launch and returns when all have ended.
///
/// Small launches, and launches made by a simulated thread, run on the calling thread; others spread their blocks
/// over rayon's pool. A launch made while a panic unwinds runs on an OS thread of its own. An empty grid or block is a launch of no thread.
///
/// # Errors
/// The first panic of the threads that panicked, in the order of block and thread. Threads that wait for what
/// can never come are ended by a panic that says so. A panic that is the consequence of another thread's comes
/// after all others.
pub(crate) fn run<F: Fn() + Sync + Copy>(spec: &LaunchSpec, kernel: F) -> Result<(), KernelPanic> {
    run_in(Mode::of_environment(), spec, kernel)
}

/// As [`run`], in a given mode.
pub(super) fn run_in<F: Fn() + Sync + Copy>(
    mode: Mode,
    spec: &LaunchSpec,
    kernel: F,
) -> Result<(), KernelPanic> {
    let [blocks, threads] =
        [spec.grid, spec.block].map(|axes| axes.iter().map(|&n| u64::from(n)).product::<u64>());
    if blocks == 0 || threads == 0 {
        return Ok(());
    }
    assert!(threads <= MAX_THREADS as u64, "a block has at most {MAX_THREADS} threads, not {threads}");
    install_hook();
    if std::thread::panicking() {
        // A destructor launches. Threads tell by `panicking` whether they are leaving: they need an OS thread that is not.
        return std::thread::scope(|scope| {
            let run = scope.spawn(|| run_here(mode, spec, kernel, blocks, threads as u32, true));
            run.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
        });
    }
    run_here(mode, spec, kernel, blocks, threads as u32, CURRENT.with(Current::is_inside))
}

/// Runs a launch that is neither empty nor too large, `alone` on the calling thread or with the help of others.
fn run_here<F: Fn() + Sync + Copy>(
    mode: Mode,
    spec: &LaunchSpec,
    kernel: F,
    blocks: u64,
    threads: u32,
    alone: bool,
) -> Result<(), KernelPanic> {
    let launch = Launch::new(spec, blocks, threads);
    if let Mode::Checked { seed, strict } = mode {
        let checker = Checker::new(&launch, seed, strict);
        Current::isolated(|current| Worker::new(&launch, &kernel, current, Some(&checker)).run(None));
        drop(checker);
        return launch.record.into_result();
    }
    Current::isolated(|current| {
        let mut worker = Worker::new(&launch, &kernel, current, None);
        if alone || blocks == 1 || blocks * u64::from(threads) <= SMALL_THREADS {
            worker.run(None);
        } else if !worker.run(Some(Instant::now() + ALONE)) {
            rayon::in_place_scope(|scope| {
                for _ in 1..rayon::current_num_threads() {
                    scope.spawn(|_| {
                        // The job may have come to a destructor that waits for the pool.
                        if std::thread::panicking() {
                            return;
                        }
                        Current::isolated(|current| Worker::new(&launch, &kernel, current, None).run(None));
                    });
                }
                worker.run(None);
            });
        }
    });
    launch.record.into_result()
}

/// What the workers of a launch share.
pub(super) struct Launch<'l> {
    pub spec: &'l LaunchSpec,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Most blocks that one worker may hold half done.
    pub resident_blocks: usize,
    pub record: Record,
    next_block: AtomicU64,
    /// Workers that have something to do besides watching threads spin.
    busy: AtomicUsize,
    /// Counts the changes of `busy`.
    changes: AtomicU64,
}

impl<'l> Launch<'l> {
    pub fn new(spec: &'l LaunchSpec, blocks: u64, threads: u32) -> Self {
        let limits = limits();
        let by_threads = limits.threads_per_multiprocessor / threads;
        let by_shared = limits.shared_bytes_per_multiprocessor / (spec.shared_bytes + 1024);
        let resident = (limits.blocks_per_multiprocessor.min(by_threads) as usize).min(by_shared).max(1);
        Self {
            spec,
            threads,
            blocks,
            resident_blocks: resident * limits.multiprocessors as usize,
            record: Record::new(),
            next_block: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            changes: AtomicU64::new(0),
        }
    }

    /// Notes that a worker has something to do from now on, or no longer has, and counts the change.
    pub fn set_busy(&self, busy: bool) -> u64 {
        if busy {
            self.busy.fetch_add(1, Ordering::Relaxed);
        } else {
            self.busy.fetch_sub(1, Ordering::Relaxed);
        }
        self.changes.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The number of changes so far, or nothing when a worker is busy.
    pub fn idle_changes(&self) -> Option<u64> {
        let changes = self.changes.load(Ordering::Relaxed);
        (self.busy.load(Ordering::Relaxed) == 0).then_some(changes)
    }

    /// Takes the next blocks that nobody has begun; none if the launch has failed often enough.
    pub fn claim(&self) -> Range<u64> {
        if self.record.is_enough() {
            return 0..0;
        }
        let some = (CLAIM_THREADS / u64::from(self.threads)).min(self.blocks / 16).max(1);
        let first = self.next_block.fetch_add(some, Ordering::Relaxed).min(self.blocks);
        first..(first + some).min(self.blocks)
    }

    /// Index along x, y and z of the block of rank `index`.
    pub fn block_idx(&self, index: u64) -> [u32; 3] {
        let [gx, gy, _] = self.spec.grid.map(u64::from);
        [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32]
    }
}
