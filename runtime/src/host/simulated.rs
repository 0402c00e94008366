//! The simulator as a driver: everything is done when the call returns.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::host::driver::{
    Address, Driver, Function, Gone, Handle, Loader, Module, Shape, Status, StatusKind,
};
use crate::host::error::{Error, Result};
use crate::host::kernel::{Image, Kernel};
use crate::host::usage::ALIGNMENT;

/// One life of a simulated device.
#[derive(Default)]
pub(crate) struct Simulated {
    last_handle: AtomicUsize,
    /// When each event was recorded.
    events: Mutex<HashMap<usize, Instant>>,
}

impl Simulated {
    fn next_handle(&self) -> Handle {
        Handle(self.last_handle.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn events(&self) -> MutexGuard<'_, HashMap<usize, Instant>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The layout of an allocation, unless it is larger than any layout.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, ALIGNMENT).ok()
}

fn no_modules(kernel: &Kernel) -> Error {
    Error::NoDeviceCode { kernel: kernel.name().to_owned() }
}

impl Loader for Simulated {
    fn load(&self, kernel: &'static Kernel, _: &Image) -> Result<Module> {
        Err(no_modules(kernel))
    }

    fn function(&self, _: &Module, kernel: &'static Kernel, _: &[usize]) -> Result<Function> {
        Err(no_modules(kernel))
    }

    fn unload(&self, _: &Module) {}
}

impl Driver for Simulated {
    fn check(&self) -> Result<(), Gone> {
        Ok(())
    }

    fn reset(&self) -> Result<(), Status> {
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Status> {
        Ok(())
    }

    fn stream_create(&self) -> Result<Handle, Status> {
        Ok(self.next_handle())
    }

    fn stream_destroy(&self, _: Handle) {}

    fn stream_synchronize(&self, _: Handle) -> Result<(), Status> {
        Ok(())
    }

    fn stream_is_idle(&self, _: Handle) -> Result<bool, Status> {
        Ok(true)
    }

    fn stream_wait(&self, _: Handle, _: Handle) -> Result<(), Status> {
        Ok(())
    }

    fn event_create(&self, _: bool) -> Result<Handle, Status> {
        Ok(self.next_handle())
    }

    fn event_destroy(&self, event: Handle) {
        self.events().remove(&event.0);
    }

    fn event_record(&self, event: Handle, _: Handle) -> Result<(), Status> {
        self.events().insert(event.0, Instant::now());
        Ok(())
    }

    fn event_is_complete(&self, _: Handle) -> Result<bool, Status> {
        Ok(true)
    }

    fn event_synchronize(&self, _: Handle) -> Result<(), Status> {
        Ok(())
    }

    fn event_elapsed_ms(&self, start: Handle, end: Handle) -> Result<f32, Status> {
        let events = self.events();
        match (events.get(&start.0), events.get(&end.0)) {
            (Some(&start), Some(&end)) => Ok(match end.checked_duration_since(start) {
                Some(forward) => forward.as_secs_f32() * 1e3,
                None => start.duration_since(end).as_secs_f32() * -1e3,
            }),
            _ => Err(Status {
                call: "Event::elapsed_ms_since",
                kind: StatusKind::Other,
                text: "an event was never recorded".to_owned(),
            }),
        }
    }

    fn allocate(&self, bytes: usize, _: Handle) -> Result<Address, Status> {
        let none = || Status {
            call: "allocate",
            kind: StatusKind::OutOfMemory,
            text: "the host has not enough memory".to_owned(),
        };
        let layout = layout(bytes).filter(|l| l.size() > 0).ok_or_else(none)?;
        // Zeroed, so that no byte is ever uninitialised in the sense of the language.
        // SAFETY: the layout has a size above zero.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() { Err(none()) } else { Ok(Address(memory)) }
    }

    fn free(&self, address: Address, bytes: usize, _: Handle) {
        self.forget(address, bytes);
    }

    fn forget(&self, address: Address, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: `allocate` got this memory with the same layout, and its owner gives it back once.
            unsafe { dealloc(address.0, layout) };
        }
    }

    fn clear(&self, address: Address, bytes: usize, _: Handle) -> Result<(), Status> {
        let _ = (address, bytes); // Only ever asked for new memory, which is zero.
        Ok(())
    }

    unsafe fn copy_in(
        &self,
        to: Address,
        from: *const c_void,
        bytes: usize,
        _: Handle,
    ) -> Result<(), Status> {
        // SAFETY: the caller vouches for both ranges; host and device memory are different allocations.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.0, bytes) };
        Ok(())
    }

    unsafe fn copy_out(&self, to: *mut c_void, from: Address, bytes: usize, _: Handle) -> Result<(), Status> {
        // SAFETY: as in `copy_in`.
        unsafe { std::ptr::copy_nonoverlapping(from.0, to.cast::<u8>(), bytes) };
        Ok(())
    }

    unsafe fn copy(&self, to: Address, from: Address, bytes: usize, _: Handle) -> Result<(), Status> {
        // SAFETY: the caller vouches for both ranges, and that they do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.0, to.0, bytes) };
        Ok(())
    }

    unsafe fn launch(
        &self,
        function: &Function,
        _: Shape,
        _: Handle,
        _: &mut [*mut c_void],
    ) -> Result<(), Status> {
        // A launch on the simulator calls the kernel's function, which this interface does not carry; and
        // `function` never makes a `Function`.
        Err(Status {
            call: "launch",
            kind: StatusKind::Other,
            text: format!("`{}` has no device code", function.kernel.name()),
        })
    }
}
