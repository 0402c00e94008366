//! Notices that this process is the child of a fork: the CUDA driver works only in the parent.

use std::sync::atomic::{AtomicBool, Ordering};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Tells whether the process was forked after [`watch`] was called.
#[inline]
pub(crate) fn forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Watches for forks from now on.
#[cfg(all(unix, not(sim)))]
pub(crate) fn watch() {
    use std::ffi::c_int;

    // As POSIX declares it.
    unsafe extern "C" {
        fn pthread_atfork(
            prepare: Option<unsafe extern "C" fn()>,
            parent: Option<unsafe extern "C" fn()>,
            child: Option<unsafe extern "C" fn()>,
        ) -> c_int;
    }

    extern "C" fn child() {
        FORKED.store(true, Ordering::Relaxed);
    }

    static WATCHING: std::sync::Once = std::sync::Once::new();
    WATCHING.call_once(|| {
        // SAFETY: the handler only stores to an atomic, which is safe in the child of a process with threads. The
        // call fails only for want of memory; then forks go unnoticed, as they would without it.
        unsafe { pthread_atfork(None, None, Some(child)) };
    });
}

/// Processes do not fork here.
#[cfg(all(not(unix), not(sim)))]
pub(crate) fn watch() {}
