//! The module store of one context: which images it has loaded and which kernels it has found in them.
//!
//! A store belongs to its context and dies with it; nothing outside refers into it, so no handle can outlive the
//! modules it points into. However many threads arrive together, one loads and the others wait for it; no lock of
//! the store is held meanwhile. The threads that waited for a load that failed get its error; the next call tries
//! again.

use std::collections::HashMap;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::host::driver::{Function, Loader, Module};
use crate::host::error::{Error, Result};
use crate::host::kernel::Kernel;

/// Places of the table that answers a launch without a lock.
const FAST: usize = 256;

/// Functions by image and symbol.
type Functions = HashMap<(u64, &'static str), Arc<LoadOnce<Function>>>;

/// What a context has loaded.
pub(crate) struct Store {
    modules: Mutex<HashMap<u64, Arc<LoadOnce<Module>>>>,
    functions: Mutex<Functions>,
    /// Functions by the low bits of their kernel's key. An entry points into an `Arc` that `functions` keeps.
    fast: Box<[AtomicPtr<Function>; FAST]>,
}

impl Store {
    pub fn new() -> Self {
        Self {
            modules: Mutex::default(),
            functions: Mutex::default(),
            fast: Box::new([const { AtomicPtr::new(ptr::null_mut()) }; FAST]),
        }
    }

    /// Returns `kernel`'s function in this context; loads its image first where that has not happened yet.
    ///
    /// `sizes` pushes the sizes of the parameters; it is called when the function is looked up for the first time.
    #[inline]
    pub fn function(
        &self,
        loader: &(impl Loader + ?Sized),
        kernel: &'static Kernel,
        sizes: fn(&mut Vec<usize>),
    ) -> Result<&Function> {
        let place = &self.fast[kernel.key() as usize % FAST];
        if let Some(known) = NonNull::new(place.load(Ordering::Acquire)) {
            // SAFETY: the pointee lies in an Arc that `self.functions` keeps as long as the store lives: no entry
            // is ever removed. The Acquire load pairs with the Release store behind its construction.
            let known: &Function = unsafe { known.as_ref() };
            if ptr::eq(known.kernel, kernel) || same(known.kernel, kernel) {
                return Ok(known);
            }
        }
        self.find(loader, kernel, sizes, place)
    }

    #[cold]
    fn find(
        &self,
        loader: &(impl Loader + ?Sized),
        kernel: &'static Kernel,
        sizes: fn(&mut Vec<usize>),
        place: &AtomicPtr<Function>,
    ) -> Result<&Function> {
        let Some(image) = kernel.image() else {
            return Err(Error::NoDeviceCode { kernel: kernel.name().to_owned() });
        };
        let slot = lock(&self.functions).entry((image.id(), kernel.symbol())).or_default().clone();
        let function = slot.get(|| {
            let module = lock(&self.modules).entry(image.id()).or_default().clone();
            let module = module.get(|| loader.load(kernel, image))?;
            let mut bytes = Vec::new();
            sizes(&mut bytes);
            loader.function(&module, kernel, &bytes)
        })?;
        let function = Arc::as_ptr(&function);
        place.store(function.cast_mut(), Ordering::Release);
        // SAFETY: `self.functions` keeps the slot, and the slot its Arc, as long as the store lives.
        Ok(unsafe { &*function })
    }

    /// Calls `visit` with every module that is loaded now.
    pub fn for_each_module(&self, mut visit: impl FnMut(&Module)) {
        for slot in lock(&self.modules).values() {
            if let Some(module) = slot.ready() {
                visit(&module);
            }
        }
    }

    /// Unloads all modules. For a context that is alive and about to be released; the store of a dead context is
    /// only dropped, which makes no driver call.
    pub fn unload(&mut self, loader: &(impl Loader + ?Sized)) {
        *self.fast = [const { AtomicPtr::new(ptr::null_mut()) }; FAST];
        lock(&self.functions).clear();
        self.for_each_module(|module| loader.unload(module));
        lock(&self.modules).clear();
    }
}

/// Two descriptions of one kernel: a launcher may be compiled into several crates of one program.
fn same(a: &Kernel, b: &Kernel) -> bool {
    a.key() == b.key()
        && a.symbol() == b.symbol()
        && a.image().map(crate::host::Image::id) == b.image().map(crate::host::Image::id)
}

/// No critical section of this module can leave its data half changed, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value that one thread makes while the others wait, and that is made again after a failure.
struct LoadOnce<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    value: Option<Arc<T>>,
    loading: bool,
    /// Number of the attempt that is running or was the last.
    attempt: u64,
    /// How that attempt failed.
    failure: Option<Error>,
}

impl<T> Default for LoadOnce<T> {
    fn default() -> Self {
        let state = State { value: None, loading: false, attempt: 0, failure: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<T> LoadOnce<T> {
    fn ready(&self) -> Option<Arc<T>> {
        lock(&self.state).value.clone()
    }

    fn get(&self, load: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut state = lock(&self.state);
        loop {
            if let Some(value) = &state.value {
                return Ok(value.clone());
            }
            if !state.loading {
                break;
            }
            let attempt = state.attempt;
            while state.loading && state.attempt == attempt {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if let (None, true, Some(failure)) = (&state.value, state.attempt == attempt, &state.failure) {
                return Err(failure.clone());
            }
        }
        state.loading = true;
        state.attempt += 1;
        state.failure = None;
        drop(state);
        // Dropped on every way out, also when `load` panics: then a waiting thread tries for itself.
        let mut attempt = Attempt { slot: self, outcome: None };
        let result = load().map(Arc::new);
        attempt.outcome = Some(result.clone());
        result
    }
}

struct Attempt<'s, T> {
    slot: &'s LoadOnce<T>,
    outcome: Option<Result<Arc<T>>>,
}

impl<T> Drop for Attempt<'_, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.slot.state);
        state.loading = false;
        match self.outcome.take() {
            Some(Ok(value)) => state.value = Some(value),
            Some(Err(failure)) => state.failure = Some(failure),
            None => {}
        }
        drop(state);
        self.slot.changed.notify_all();
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
