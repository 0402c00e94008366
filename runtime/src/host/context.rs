//! One life of a device's context: from its creation to its reset or release.
//!
//! A context that has died never comes back; a device makes a new one instead. Streams, events and allocations keep
//! their context, so comparing contexts tells whether two objects fit together, and asking the context tells whether
//! they may still be used.

use std::cell::RefCell;
use std::io::Write;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use crate::host::driver::{Driver, Gone, Status, StatusKind};
use crate::host::error::{Error, KernelPanic, LostCause, Result};
use crate::host::fork;
use crate::host::limits::Limits;
use crate::host::recent::{Pending, Recent, describe};
use crate::host::store::Store;
use crate::host::stream::StreamCore;
use crate::panic_record::mark;

/// At most this many panics wait for their streams to be synchronised; further ones are dropped, the first stay.
const MAX_PENDING: usize = 64;

/// A context, with everything that is known about it.
pub(crate) struct Context {
    /// Tells this context from every other one of this process, earlier and later lives of its device included.
    id: u64,
    /// The device, as messages name it.
    device: String,
    limits: Limits,
    simulated: bool,
    /// Taken shared by every driver call, exclusively by a reset.
    gate: RwLock<()>,
    /// 0 while the context lives, then how it died.
    lost: AtomicU8,
    recent: Mutex<Recent>,
    pending: Mutex<Vec<Pending>>,
    store: Store,
    driver: Box<dyn Driver>,
}

/// The right to make driver calls: the gate is held, and the context lives and is current to this thread.
pub(crate) struct Live<'c> {
    context: &'c Context,
    // The gate is released first, then the streams are dropped, which takes it again.
    _gate: RwLockReadGuard<'c, ()>,
    dropped: RefCell<Vec<Arc<StreamCore>>>,
}

impl Context {
    pub fn new(device: String, limits: Limits, simulated: bool, driver: Box<dyn Driver>) -> Self {
        static LAST_ID: AtomicU64 = AtomicU64::new(0);
        Self {
            id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1,
            device,
            limits,
            simulated,
            gate: RwLock::new(()),
            lost: AtomicU8::new(0),
            recent: Mutex::new(Recent::new()),
            pending: Mutex::default(),
            store: Store::new(),
            driver,
        }
    }

    #[inline]
    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn device(&self) -> &str {
        &self.device
    }

    #[inline]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    #[inline]
    pub fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// Names the context in messages.
    pub fn describe(&self) -> String {
        format!("{} (context {})", self.device, self.id)
    }

    /// Takes the gate and finds the context alive.
    #[inline]
    pub fn enter(&self) -> Result<Live<'_>> {
        // Before any lock: in the child of a fork, a lock may be held by a thread that is not there any more.
        if self.is_forked() {
            return Err(Error::Forked);
        }
        let gate = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        if self.lost.load(Ordering::Relaxed) != 0 {
            return Err(self.gone());
        }
        match self.driver.check() {
            Ok(()) => Ok(Live { context: self, _gate: gate, dropped: RefCell::default() }),
            Err(gone) => Err(self.lose(gone)),
        }
    }

    /// Tells whether this process is a fork of the one in which the context works.
    #[inline]
    pub fn is_forked(&self) -> bool {
        !self.simulated && fork::forked()
    }

    /// Tells whether the context lives, without an error to build.
    pub fn is_alive(&self) -> bool {
        if self.is_forked() {
            return false;
        }
        let _gate = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        self.lost.load(Ordering::Relaxed) == 0 && self.driver.check().is_ok()
    }

    /// Destroys what belongs to the context, and ends it.
    pub fn reset(&self) -> Result<()> {
        if self.is_forked() {
            return Err(Error::Forked);
        }
        let _gate = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        if self.lost.load(Ordering::Relaxed) != 0 {
            return Ok(());
        }
        match self.driver.check() {
            Ok(()) => {}
            Err(Gone::Forked) => return Err(Error::Forked),
            Err(Gone::Lost(cause)) => {
                self.mark(cause);
                return Ok(());
            }
        }
        let result = self.driver.reset();
        self.mark(LostCause::Reset);
        result.map_err(|status| status.into_error(&self.device))
    }

    fn mark(&self, cause: LostCause) {
        let number = match cause {
            LostCause::Reset => 1,
            LostCause::External => 2,
            LostCause::Fault => 3,
        };
        // The first cause stays.
        let _ = self.lost.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    #[cold]
    fn lose(&self, gone: Gone) -> Error {
        match gone {
            Gone::Forked => Error::Forked,
            Gone::Lost(cause) => {
                self.mark(cause);
                self.gone()
            }
        }
    }

    #[cold]
    fn gone(&self) -> Error {
        let cause = match self.lost.load(Ordering::Relaxed) {
            1 => LostCause::Reset,
            2 => LostCause::External,
            _ => LostCause::Fault,
        };
        Error::ContextLost { device: self.device.clone(), cause }
    }

    /// Does for an allocation or stream of a dead context what needs no driver call.
    pub fn driver_after_death(&self) -> &dyn Driver {
        &*self.driver
    }

    pub fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> MutexGuard<'_, Vec<Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a panic until `stream` is synchronised.
    pub fn remember(&self, stream: u64, panic: KernelPanic) {
        let mut pending = self.pending();
        if pending.len() < MAX_PENDING {
            pending.push(Pending { stream, panic });
        }
    }

    /// Notes that a stream is gone: what it left to report goes to whoever synchronises next.
    pub fn orphan(&self, stream: u64) {
        if self.is_forked() {
            return;
        }
        self.recent().orphan(stream);
        self.pending().iter_mut().filter(|p| p.stream == stream).for_each(|p| p.stream = 0);
    }

    /// Waits for all work of the context, and reports a panic that no stream can report any more: one of a stream that
    /// is gone. On the simulator, whose devices nobody shares by chance, those of streams that still exist as well.
    pub fn settle(&self) -> Result<()> {
        let live = self.enter()?;
        live.wait_for_all()?;
        let unreported = |p: &Pending| self.simulated || p.stream == 0;
        let mut pending = self.pending();
        match pending.iter().position(unreported) {
            None => Ok(()),
            Some(first) => {
                let found = pending.remove(first);
                pending.retain(|p| !unreported(p));
                Err(found.panic.into())
            }
        }
    }

    /// Takes the first panic that a synchronisation of `stream` has to report, and drops the later ones of it.
    fn take_pending(&self, stream: u64) -> Option<KernelPanic> {
        let mut pending = self.pending();
        let first = pending.iter().position(|p| p.stream == stream || p.stream == 0)?;
        let found = pending.remove(first);
        pending.retain(|p| p.stream != found.stream);
        Some(found.panic)
    }
}

impl<'c> Live<'c> {
    #[inline]
    pub fn context(&self) -> &'c Context {
        self.context
    }

    #[inline]
    pub fn driver(&self) -> &'c dyn Driver {
        &*self.context.driver
    }

    #[inline]
    pub fn store(&self) -> &'c Store {
        &self.context.store
    }

    /// Keeps streams until the gate is released, since dropping the last reference to one takes the gate.
    pub fn drop_later(&self, streams: impl IntoIterator<Item = Arc<StreamCore>>) {
        self.dropped.borrow_mut().extend(streams);
    }

    /// Turns the failure of a driver call into an error, and marks the context if it is broken or gone.
    #[cold]
    pub fn fail(&self, status: Status) -> Error {
        let context = self.context;
        match status.kind {
            StatusKind::Sticky => {
                let (kernel, _) = describe(&context.recent().matching(|_| true));
                context.mark(LostCause::Fault);
                Error::DeviceFault { device: context.device.clone(), kernel, status: status.text }
            }
            StatusKind::Lost => context.lose(Gone::Lost(LostCause::External)),
            StatusKind::OutOfMemory | StatusKind::Other => status.into_error(&context.device),
        }
    }

    /// Reports a panic that a synchronisation of `stream` has brought to light. Launches of the stream up to number
    /// `until` have finished.
    pub fn report(&self, stream: u64, until: u64) -> Result<()> {
        let context = self.context;
        if !context.simulated {
            self.collect(stream);
        }
        context.recent().finished(stream, until);
        match context.take_pending(stream) {
            None => Ok(()),
            Some(panic) => Err(panic.into()),
        }
    }

    /// Waits for all work of the context, and collects the panics that it left.
    fn wait_for_all(&self) -> Result<()> {
        let context = self.context;
        let until = context.recent().last();
        self.driver().synchronize().map_err(|s| self.fail(s))?;
        if !context.simulated {
            self.collect(0);
        }
        context.recent().finished(0, until);
        Ok(())
    }

    /// Reads the panic records of all modules and gives each panic to the stream of its launch.
    fn collect(&self, stream: u64) {
        self.store().for_each_module(|module| {
            let Some(record) = module.record else { return };
            // SAFETY: the record belongs to a module of this context, which is alive while the gate is held.
            let Some(found) = (unsafe { crate::host::record::take(record) }) else { return };
            let mut recent = self.context.recent();
            let launches = recent.matching(|l| {
                l.kernel.and_then(|k| k.image()).is_some_and(|i| i.id() == module.image)
                    && <[u32; 3]>::from(l.blocks) == found.grid
                    && <[u32; 3]>::from(l.threads) == found.block_size
            });
            let (kernel, launch) = describe(&launches);
            let mut owners: Vec<u64> = launches.iter().map(|l| l.stream).collect();
            owners.sort_unstable();
            owners.dedup();
            if owners.is_empty() {
                owners.push(stream);
            }
            // A launch stays until its stream has passed it: its other threads may panic still, and leave a record again.
            recent.remove(|l| l.stream == 0 && launches.iter().any(|told| told.number == l.number));
            // What found the record taken is of a launch with such a shape.
            let mut bystanders: Vec<u64> = recent
                .matching(|l| {
                    l.kernel.and_then(|k| k.image()).is_some_and(|i| i.id() == module.image)
                        && mark(l.blocks.into(), l.threads.into()) & found.lost != 0
                })
                .iter()
                .map(|l| l.stream)
                .filter(|stream| !owners.contains(stream))
                .collect();
            bystanders.sort_unstable();
            bystanders.dedup();
            drop(recent);
            let panic = KernelPanic {
                kernel,
                launch,
                file: found.file,
                line: found.line,
                column: found.column,
                block: found.block,
                thread: found.thread,
                message: found.message,
            };
            // Where several streams may have launched it, each is told: none may believe that its results are good.
            for owner in owners {
                self.context.remember(owner, panic.clone());
            }
            let told = KernelPanic {
                kernel: "an unknown kernel".to_owned(),
                launch: 0,
                message: format!(
                    "{} (and another panic at the same time, perhaps of this stream)",
                    panic.message
                ),
                ..panic
            };
            for bystander in bystanders {
                self.context.remember(bystander, told.clone());
            }
        });
    }
}

impl Context {
    /// Says on standard error that panics were never reported. Nobody is left who could ask for them.
    fn confess(&mut self) {
        // A thread that unwinds has a fault to show already.
        if self.is_forked() || std::thread::panicking() {
            return;
        }
        // A kernel of a GPU may still run; there is nothing to wait for when every launch has been waited for.
        let launched = !self.recent().matching(|_| true).is_empty();
        if !self.simulated
            && launched
            && let Ok(live) = self.enter()
        {
            // A failure here has no one to be reported to either, and has nothing to do with a panic.
            let _ = live.wait_for_all();
        }
        if let Some(text) = unreported(self.pending.get_mut().unwrap_or_else(PoisonError::into_inner)) {
            // Not `eprintln!`, which panics where standard error is closed.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// One line about panics that were never reported.
fn unreported(pending: &[Pending]) -> Option<String> {
    let first = &pending.first()?.panic;
    let more = match pending.len() - 1 {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let advice = "synchronize the stream to get it as an error";
    Some(format!("warpweft: a kernel panic was never reported: {first}{more} ({advice})\n"))
}

impl Drop for Context {
    fn drop(&mut self) {
        self.confess();
        let gate = self.gate.get_mut();
        let _ = gate.unwrap_or_else(PoisonError::into_inner);
        if *self.lost.get_mut() == 0 && !self.is_forked() && self.driver.check().is_ok() {
            self.store.unload(&*self.driver);
        }
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("id", &self.id).field("device", &self.device).finish_non_exhaustive()
    }
}
