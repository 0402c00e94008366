//! The latest launches of a context, kept to name the kernel when a panic or a fault comes to light.

use crate::host::error::KernelPanic;
use crate::host::grid::Dim3;
use crate::host::kernel::Kernel;

/// How many launches are remembered.
const CAPACITY: usize = 256;

/// A launch that may still be running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    /// Number within the context, counted from 1; 0 for an empty place.
    pub number: u64,
    pub kernel: Option<&'static Kernel>,
    pub blocks: Dim3,
    pub threads: Dim3,
    /// Number of the stream; 0 when the stream is gone.
    pub stream: u64,
}

/// A ring of launches; allocates nothing after its construction.
#[derive(Debug)]
pub(crate) struct Recent {
    ring: Box<[Launch; CAPACITY]>,
    last: u64,
}

const NONE: Launch =
    Launch { number: 0, kernel: None, blocks: Dim3::new(0, 0, 0), threads: Dim3::new(0, 0, 0), stream: 0 };

impl Recent {
    pub fn new() -> Self {
        Self { ring: Box::new([NONE; CAPACITY]), last: 0 }
    }

    /// Notes a launch and returns its number.
    #[inline]
    pub fn push(&mut self, kernel: &'static Kernel, blocks: Dim3, threads: Dim3, stream: u64) -> u64 {
        self.last += 1;
        let launch = Launch { number: self.last, kernel: Some(kernel), blocks, threads, stream };
        self.ring[(self.last % CAPACITY as u64) as usize] = launch;
        self.last
    }

    /// Returns the number of the latest launch.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Forgets the launches of `stream` up to number `until`: they have finished.
    pub fn finished(&mut self, stream: u64, until: u64) {
        for launch in self.ring.iter_mut().filter(|l| l.stream == stream && l.number <= until) {
            *launch = NONE;
        }
    }

    /// Notes that a stream is gone; its launches may still run.
    pub fn orphan(&mut self, stream: u64) {
        for launch in self.ring.iter_mut().filter(|l| l.stream == stream) {
            launch.stream = 0;
        }
    }

    /// Forgets every launch that the test picks: they were told to the user.
    pub fn remove(&mut self, told: impl Fn(&Launch) -> bool) {
        for launch in self.ring.iter_mut().filter(|l| told(l)) {
            *launch = NONE;
        }
    }

    /// Returns the launches that pass the test, oldest first.
    pub fn matching(&self, test: impl Fn(&Launch) -> bool) -> Vec<Launch> {
        let mut found: Vec<Launch> = self.ring.iter().filter(|l| l.number != 0 && test(l)).copied().collect();
        found.sort_by_key(|l| l.number);
        found
    }
}

/// Names the kernels of `launches`, each once, and the number of the launch if there is only one.
pub(crate) fn describe(launches: &[Launch]) -> (String, u64) {
    let mut names: Vec<&str> = Vec::new();
    for name in launches.iter().filter_map(|l| l.kernel).map(Kernel::name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let number = if let [launch] = launches { launch.number } else { 0 };
    (if names.is_empty() { "an unknown kernel".to_owned() } else { names.join(" or ") }, number)
}

/// A panic that was found and waits for its stream to be synchronised.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// Number of the stream; 0 when the stream is gone, so that any synchronisation reports it.
    pub stream: u64,
    pub panic: KernelPanic,
}
