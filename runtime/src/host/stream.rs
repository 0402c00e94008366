//! Streams: queues of work on a device.

use std::mem::size_of_val;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::host::buffer::{Buffer, DeviceSlice, the_buffer};
use crate::host::context::{Context, Live};
use crate::host::driver::Handle;
use crate::host::error::{Error, Result};
use crate::host::event::Event;
use crate::host::usage::Access;
use crate::param::Element;

/// A queue of work on a device. Work on one stream runs in order; work on different streams may overlap.
///
/// A buffer may be used on any stream of its context: the second stream waits by itself for the uses on the first one
/// that conflict with it.
///
/// A panic in a kernel is reported by the next call that waits for the kernel's stream: [`synchronize`]
/// (Self::synchronize), [`download`](Self::download), [`upload`](Self::upload), [`copy_from_host`]
/// (Self::copy_from_host), [`copy_to_host`](Self::copy_to_host) and [`Event::synchronize`]. On the simulator launches
/// have finished when they return, but they report at the same place.
///
/// Dropping a stream does not wait for its work. Where the last stream, event, buffer and `Device` of a context have
/// been dropped and a panic was never reported, a line on standard error says so.
pub struct Stream {
    core: Arc<StreamCore>,
}

/// What buffers and events remember of a stream.
pub(crate) struct StreamCore {
    context: Arc<Context>,
    /// Tells this stream from every other one of this process; never 0.
    id: u64,
    handle: Handle,
    /// The event with which other streams wait for this one; made when it is first needed.
    fence: Mutex<Option<Handle>>,
    /// The owner has dropped the stream: no more work comes.
    closed: AtomicBool,
}

impl StreamCore {
    #[inline]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    #[inline]
    pub fn id(&self) -> u64 {
        self.id
    }

    #[inline]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Makes later work of this stream wait for the work that `other` has now.
    pub fn wait_for(&self, live: &Live<'_>, other: &StreamCore) -> Result<()> {
        let driver = live.driver();
        let mut fence = other.fence.lock().unwrap_or_else(PoisonError::into_inner);
        let event = match *fence {
            Some(event) => event,
            None => *fence.insert(driver.event_create(false).map_err(|s| live.fail(s))?),
        };
        // A wait refers to the latest record before it, so the event can be recorded again for the next one; the
        // lock keeps the two calls together.
        driver.event_record(event, other.handle).map_err(|s| live.fail(s))?;
        driver.stream_wait(self.handle, event).map_err(|s| live.fail(s))
    }
}

impl Drop for StreamCore {
    fn drop(&mut self) {
        let Ok(live) = self.context.enter() else { return };
        if let Some(event) = *self.fence.get_mut().unwrap_or_else(PoisonError::into_inner) {
            live.driver().event_destroy(event);
        }
        live.driver().stream_destroy(self.handle);
    }
}

impl Stream {
    pub(crate) fn new(context: Arc<Context>) -> Result<Self> {
        static LAST_ID: AtomicU64 = AtomicU64::new(0);
        let handle = {
            let live = context.enter()?;
            live.driver().stream_create().map_err(|s| live.fail(s))?
        };
        let core = StreamCore {
            context,
            id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1,
            handle,
            fence: Mutex::new(None),
            closed: AtomicBool::new(false),
        };
        Ok(Self { core: Arc::new(core) })
    }

    #[inline]
    pub(crate) fn core(&self) -> &Arc<StreamCore> {
        &self.core
    }

    /// Copies a host slice into a new buffer of the stream's device. Returns when the copy is done.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::SizeOverflow`], [`Error::ContextLost`]; [`Error::KernelPanic`] if an earlier
    /// kernel of this stream panicked.
    pub fn upload<T: Element>(&self, source: &[T]) -> Result<Buffer<T>> {
        let mut buffer = Buffer::allocate(self, source.len())?;
        self.copy_from_host(&mut buffer, source)?;
        Ok(buffer)
    }

    /// Makes a buffer of `len` elements whose bytes are all zero. The buffer is ready for later work on any stream.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::SizeOverflow`], [`Error::ContextLost`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate(self, len)?;
        if buffer.bytes() > 0 {
            let live = self.core.context.enter()?;
            live.driver()
                .clear(buffer.address(), buffer.bytes(), self.core.handle)
                .map_err(|s| live.fail(s))?;
        }
        Ok(buffer)
    }

    /// Copies a device slice into a new vector. Waits for the work on this stream, and for the uses on other streams
    /// that may write to the slice.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if a kernel of this stream panicked; [`Error::DeviceFault`], [`Error::ContextLost`],
    /// [`Error::OtherContext`].
    pub fn download<T: Element>(&self, source: &DeviceSlice<T>) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(source.len());
        self.read(source, values.as_mut_ptr())?;
        // SAFETY: `read` has filled as many elements as the slice has, which is what the vector was made for, and
        // any bytes are valid elements (Element).
        unsafe { values.set_len(source.len()) };
        Ok(values)
    }

    /// Copies a host slice to the device. Returns when the copy is done.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::ContextLost`], [`Error::OtherContext`]; [`Error::KernelPanic`]
    /// if an earlier kernel of this stream panicked.
    pub fn copy_from_host<T: Element>(&self, target: &mut DeviceSlice<T>, source: &[T]) -> Result<()> {
        same_length("copy_from_host", source.len(), target.len())?;
        let live = self.core.context.enter()?;
        target.order(&live, &self.core, target.write_access(), the_buffer)?;
        if target.bytes() > 0 {
            let (to, from) = (target.address(), source.as_ptr().cast());
            // SAFETY: `source` has as many bytes as `target`, and is borrowed until the stream has been
            // synchronised below; a failed synchronisation means that the context is gone and copies no more.
            let copied = unsafe { live.driver().copy_in(to, from, size_of_val(source), self.core.handle) };
            copied.map_err(|s| live.fail(s))?;
        }
        self.finish(&live)
    }

    /// Copies a device slice to the host. Waits as [`download`](Self::download) does.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; otherwise as [`download`](Self::download).
    pub fn copy_to_host<T: Element>(&self, source: &DeviceSlice<T>, target: &mut [T]) -> Result<()> {
        same_length("copy_to_host", source.len(), target.len())?;
        self.read(source, target.as_mut_ptr())
    }

    /// Copies `source` to `target`, both in the memory of the stream's device. Does not wait.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::ContextLost`], [`Error::OtherContext`].
    pub fn copy<T: Element>(&self, source: &DeviceSlice<T>, target: &mut DeviceSlice<T>) -> Result<()> {
        same_length("copy", source.len(), target.len())?;
        let live = self.core.context.enter()?;
        source.order(&live, &self.core, Access::Read, the_buffer)?;
        target.order(&live, &self.core, target.write_access(), the_buffer)?;
        if source.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: both slices have the same number of bytes and cannot overlap: one is borrowed mutably.
        let copied = unsafe {
            live.driver().copy(target.address(), source.address(), source.bytes(), self.core.handle)
        };
        copied.map_err(|s| live.fail(s))
    }

    /// Waits until all work of this stream is done.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if a kernel of this stream panicked since the last call that waited;
    /// [`Error::DeviceFault`] if one broke the context; [`Error::ContextLost`].
    pub fn synchronize(&self) -> Result<()> {
        self.finish(&self.core.context.enter()?)
    }

    /// Records an event: it completes when the work that the stream has now is done.
    ///
    /// # Errors
    /// [`Error::ContextLost`], [`Error::Driver`].
    pub fn record(&self) -> Result<Event> {
        Event::record(&self.core)
    }

    /// Makes later work of this stream wait for an event of the same context. Does not wait itself.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::ContextLost`], [`Error::Driver`].
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.check_context("the event", &self.core)?;
        let live = self.core.context.enter()?;
        live.driver().stream_wait(self.core.handle, event.handle()).map_err(|s| live.fail(s))
    }

    fn read<T: Element>(&self, source: &DeviceSlice<T>, target: *mut T) -> Result<()> {
        let live = self.core.context.enter()?;
        source.order(&live, &self.core, Access::Read, the_buffer)?;
        if source.bytes() > 0 {
            // SAFETY: both callers pass a target with room for the whole source, which they keep until the stream
            // has been synchronised below; a failed synchronisation means that the context copies no more.
            let copied = unsafe {
                live.driver().copy_out(target.cast(), source.address(), source.bytes(), self.core.handle)
            };
            copied.map_err(|s| live.fail(s))?;
        }
        self.finish(&live)
    }

    /// Waits for the stream and reports what its kernels left.
    fn finish(&self, live: &Live<'_>) -> Result<()> {
        let until = self.core.context.recent().last();
        live.driver().stream_synchronize(self.core.handle).map_err(|s| live.fail(s))?;
        live.report(self.core.id, until)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.core.closed.store(true, Ordering::Relaxed);
        self.core.context.orphan(self.core.id);
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("id", &self.core.id).field("context", &self.core.context).finish()
    }
}

fn same_length(what: &'static str, source_len: usize, destination_len: usize) -> Result<()> {
    if source_len == destination_len {
        Ok(())
    } else {
        Err(Error::Length { what, source_len, destination_len })
    }
}
