//! Panics of simulated threads: they end the thread, not the process, and the launch reports the first.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use super::current::{CURRENT, Current};
use super::launch::LaunchSpec;
use crate::host::KernelPanic;

/// What the hook saw of a panic that is unwinding.
struct Seen {
    file: String,
    line: u32,
    column: u32,
    message: String,
}

thread_local! {
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
    /// The panic about to be raised follows from another thread's fault.
    static CONSEQUENCE: Cell<bool> = const { Cell::new(false) };
}

/// Makes the panic hook note the panics of simulated threads, and leave all others to the hook before it.
///
/// The place of a panic is told to the hook alone. Where the program sets a hook of its own later on, panics of
/// simulated threads are printed by it, and reports lack the place.
pub(super) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(
            move |info| {
                if CURRENT.with(Current::is_inside) { see(info) } else { previous(info) }
            },
        ));
    });
}

fn see(info: &PanicHookInfo<'_>) {
    let (file, line, column) =
        info.location().map_or(("", 0, 0), |place| (place.file(), place.line(), place.column()));
    let message = info.payload_as_str().unwrap_or("a panic whose payload is no text");
    SEEN.set(Some(Seen { file: file.to_owned(), line, column, message: message.to_owned() }));
}

/// Panics in a thread that can only fail because of another one: its report gives way to the other's.
#[cold]
#[track_caller]
pub(super) fn fail_in_consequence(message: &str) -> ! {
    CONSEQUENCE.set(true);
    panic!("{message}")
}

/// A launch of which so many threads have panicked starts no more blocks. Blocks start in order, so the first panic
/// is among those that have started.
const ENOUGH: usize = 10_000;

/// The first panic of a launch.
pub(super) struct Record {
    first: Mutex<Option<(Key, KernelPanic)>>,
    panics: AtomicUsize,
}

/// A thread, by ranks and by indices.
pub(super) struct Place {
    pub block: u64,
    pub rank: u32,
    pub block_idx: [u32; 3],
    pub thread_idx: [u32; 3],
}

impl Place {
    fn of(current: &Current, block: u64) -> Self {
        let (block_idx, thread_idx) = (current.block_idx.get(), current.thread());
        Self { block, rank: current.rank(), block_idx, thread_idx }
    }
}

/// What is reported first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// What a checker found: panics may follow from it.
    Finding,
    Panic,
    /// A panic that follows from another thread's.
    Consequence,
}

/// Within a class the order is that of block and thread.
type Key = (Class, u64, u32);

impl Record {
    pub const fn new() -> Self {
        Self { first: Mutex::new(None), panics: AtomicUsize::new(0) }
    }

    /// Notes the panic of the thread that `current` names, in the block of rank `block`.
    #[cold]
    pub fn note(&self, spec: &LaunchSpec, current: &Current, block: u64, payload: Box<dyn Any + Send>) {
        let seen = SEEN.take();
        let consequence = CONSEQUENCE.take();
        let seen = seen.unwrap_or_else(|| Seen {
            file: String::new(),
            line: 0,
            column: 0,
            message: text(&*payload).to_owned(),
        });
        // The payload is the kernel's: it may panic when dropped, and then is leaked.
        if let Err(second) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
            SEEN.take();
        }
        let place = Place::of(current, block);
        let class = if consequence { Class::Consequence } else { Class::Panic };
        self.keep(spec, (class, block, place.rank), place, seen);
    }

    /// Notes what a checker has found.
    pub fn note_finding(&self, spec: &LaunchSpec, place: Place, at: &Location<'_>, message: String) {
        let seen = Seen { file: at.file().to_owned(), line: at.line(), column: at.column(), message };
        self.keep(spec, (Class::Finding, place.block, place.rank), place, seen);
    }

    /// Notes a fault that no line of the kernel is to blame for.
    #[cold]
    pub fn note_fault(&self, spec: &LaunchSpec, current: &Current, block: u64, message: String) {
        let seen = Seen { file: String::new(), line: 0, column: 0, message };
        let place = Place::of(current, block);
        self.keep(spec, (Class::Panic, block, place.rank), place, seen);
    }

    fn keep(&self, spec: &LaunchSpec, key: Key, place: Place, seen: Seen) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(kept, _)| key < *kept) {
            let Seen { file, line, column, message } = seen;
            let panic = KernelPanic {
                kernel: spec.kernel.to_owned(),
                launch: spec.launch,
                file,
                line,
                column,
                block: place.block_idx,
                thread: place.thread_idx,
                message,
            };
            *first = Some((key, panic));
        }
    }

    /// Tells whether some thread has panicked.
    pub fn is_set(&self) -> bool {
        self.panics.load(Ordering::Relaxed) > 0
    }

    /// Tells whether there is no use in starting more blocks.
    pub fn is_enough(&self) -> bool {
        self.panics.load(Ordering::Relaxed) >= ENOUGH
    }

    /// The verdict over the launch.
    pub fn into_result(self) -> Result<(), KernelPanic> {
        match self.first.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, panic)) => Err(panic),
            None => Ok(()),
        }
    }
}

fn text(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "a panic whose payload is no text"
    }
}
