//! A driver for tests: writes down every call, fails on demand, and can lose its context.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::host::context::Context;
use crate::host::driver::{
    Address, Driver, Function, Gone, Handle, Loader, Module, Shape, Status, StatusKind,
};
use crate::host::error::{Error, LostCause, Result};
use crate::host::kernel::{Image, Kernel};
use crate::host::limits::Limits;
use crate::host::stream::Stream;
use crate::panic_record::PanicRecord;

/// What runs inside a load, with the image's id.
pub(crate) type OnLoad = Box<dyn Fn(u64) -> Result<(), String> + Send + Sync>;

/// What the test sees of a driver.
pub(crate) struct StandIn {
    calls: Mutex<Vec<String>>,
    /// Calls that reached a context which was gone.
    pub after_death: AtomicUsize,
    pub alive: AtomicBool,
    pub last_handle: AtomicUsize,
    /// The name of a call that fails, and how.
    pub failure: Mutex<Option<(&'static str, StatusKind)>>,
    pub on_load: Mutex<Option<Arc<OnLoad>>>,
    /// The panic record that modules get.
    pub record: Mutex<Option<std::ptr::NonNull<PanicRecord>>>,
    /// Whether streams are idle when asked.
    pub idle: AtomicBool,
    /// The attributes of every function.
    pub threads_per_block: u32,
    pub static_shared_bytes: usize,
}

// SAFETY: the tests touch the record from one thread at a time.
unsafe impl Send for StandIn {}
// SAFETY: as above.
unsafe impl Sync for StandIn {}

impl StandIn {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            calls: Mutex::default(),
            after_death: AtomicUsize::new(0),
            alive: AtomicBool::new(true),
            last_handle: AtomicUsize::new(0),
            failure: Mutex::new(None),
            on_load: Mutex::new(None),
            record: Mutex::new(None),
            idle: AtomicBool::new(false),
            threads_per_block: 512,
            static_shared_bytes: 1024,
        })
    }

    /// A context on this driver, with two streams, numbers 1 and 2.
    pub fn context(self: &Arc<Self>) -> (Arc<Context>, Stream, Stream) {
        let driver = Box::new(Connection(self.clone()));
        let context = Arc::new(Context::new("stand-in".to_owned(), Limits::simulated(), false, driver));
        let first = Stream::new(context.clone()).expect("first stream");
        let second = Stream::new(context.clone()).expect("second stream");
        self.take();
        (context, first, second)
    }

    /// Takes the calls made since the last time.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the number of calls whose text starts with `prefix`.
    pub fn count(&self, prefix: &str) -> usize {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter(|call| call.starts_with(prefix)).count()
    }

    pub fn fail(&self, call: &'static str, kind: StatusKind) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some((call, kind));
    }

    fn note(&self, call: &'static str, text: String) -> Result<(), Status> {
        if !self.alive.load(Ordering::SeqCst) {
            self.after_death.fetch_add(1, Ordering::SeqCst);
        }
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{call} {text}"));
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match *failure {
            Some((name, kind)) if name == call => {
                *failure = None;
                Err(Status { call, kind, text: "injected".to_owned() })
            }
            _ => Ok(()),
        }
    }

    fn handle(&self) -> Handle {
        Handle(self.last_handle.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// The driver's end.
pub(crate) struct Connection(pub Arc<StandIn>);

impl Loader for Connection {
    fn load(&self, kernel: &'static Kernel, image: &Image) -> Result<Module> {
        let _ = self.0.note("load", format!("{}", image.id()));
        let hook = self.0.on_load.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match hook.map_or(Ok(()), |hook| hook(image.id())) {
            Ok(()) => {
                let record = *self.0.record.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(Module { handle: self.0.handle(), image: image.id(), record })
            }
            Err(log) => {
                Err(Error::Load { kernel: kernel.name().to_owned(), status: "injected".to_owned(), log })
            }
        }
    }

    fn function(&self, module: &Module, kernel: &'static Kernel, sizes: &[usize]) -> Result<Function> {
        let _ = self.0.note("function", format!("{} of {} {sizes:?}", kernel.symbol(), module.image));
        Ok(Function {
            handle: self.0.handle(),
            kernel,
            registers: 128,
            threads_per_block: self.0.threads_per_block,
            static_shared_bytes: self.0.static_shared_bytes,
        })
    }

    fn unload(&self, module: &Module) {
        let _ = self.0.note("unload", format!("{}", module.image));
    }
}

impl Driver for Connection {
    fn check(&self) -> Result<(), Gone> {
        if self.0.alive.load(Ordering::SeqCst) { Ok(()) } else { Err(Gone::Lost(LostCause::External)) }
    }

    fn reset(&self) -> Result<(), Status> {
        self.0.note("reset", String::new())?;
        self.0.alive.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn synchronize(&self) -> Result<(), Status> {
        self.0.note("synchronize_all", String::new())
    }

    fn stream_create(&self) -> Result<Handle, Status> {
        let handle = self.0.handle();
        self.0.note("stream", format!("{}", handle.0))?;
        Ok(handle)
    }

    fn stream_destroy(&self, stream: Handle) {
        let _ = self.0.note("stream_destroy", format!("{}", stream.0));
    }

    fn stream_synchronize(&self, stream: Handle) -> Result<(), Status> {
        self.0.note("synchronize", format!("{}", stream.0))
    }

    fn stream_is_idle(&self, stream: Handle) -> Result<bool, Status> {
        self.0.note("query", format!("{}", stream.0))?;
        Ok(self.0.idle.load(Ordering::SeqCst))
    }

    fn stream_wait(&self, stream: Handle, event: Handle) -> Result<(), Status> {
        self.0.note("wait", format!("{} for {}", stream.0, event.0))
    }

    fn event_create(&self, _: bool) -> Result<Handle, Status> {
        let handle = self.0.handle();
        self.0.note("event", format!("{}", handle.0))?;
        Ok(handle)
    }

    fn event_destroy(&self, event: Handle) {
        let _ = self.0.note("event_destroy", format!("{}", event.0));
    }

    fn event_record(&self, event: Handle, stream: Handle) -> Result<(), Status> {
        self.0.note("record", format!("{} on {}", event.0, stream.0))
    }

    fn event_is_complete(&self, event: Handle) -> Result<bool, Status> {
        self.0.note("event_query", format!("{}", event.0))?;
        Ok(true)
    }

    fn event_synchronize(&self, event: Handle) -> Result<(), Status> {
        self.0.note("event_synchronize", format!("{}", event.0))
    }

    fn event_elapsed_ms(&self, start: Handle, end: Handle) -> Result<f32, Status> {
        self.0.note("elapsed", format!("{} {}", start.0, end.0))?;
        Ok(1.0)
    }

    fn allocate(&self, bytes: usize, stream: Handle) -> Result<Address, Status> {
        self.0.note("allocate", format!("{bytes} on {}", stream.0))?;
        Ok(Address(std::ptr::without_provenance_mut(self.0.handle().0 * 0x1000)))
    }

    fn free(&self, _: Address, bytes: usize, stream: Handle) {
        let _ = self.0.note("free", format!("{bytes} on {}", stream.0));
    }

    fn forget(&self, _: Address, _: usize) {}

    fn clear(&self, _: Address, bytes: usize, stream: Handle) -> Result<(), Status> {
        self.0.note("clear", format!("{bytes} on {}", stream.0))
    }

    unsafe fn copy_in(
        &self,
        _: Address,
        _: *const c_void,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status> {
        self.0.note("copy_in", format!("{bytes} on {}", stream.0))
    }

    unsafe fn copy_out(
        &self,
        to: *mut c_void,
        _: Address,
        bytes: usize,
        stream: Handle,
    ) -> Result<(), Status> {
        self.0.note("copy_out", format!("{bytes} on {}", stream.0))?;
        // SAFETY: the caller vouches for the range.
        unsafe { to.cast::<u8>().write_bytes(0, bytes) };
        Ok(())
    }

    unsafe fn copy(&self, _: Address, _: Address, bytes: usize, stream: Handle) -> Result<(), Status> {
        self.0.note("copy", format!("{bytes} on {}", stream.0))
    }

    unsafe fn launch(
        &self,
        function: &Function,
        shape: Shape,
        stream: Handle,
        words: &mut [*mut c_void],
    ) -> Result<(), Status> {
        let kernel = function.kernel.symbol();
        self.0.note("launch", format!("{kernel} {} words {} on {}", shape.blocks, words.len(), stream.0))
    }
}
