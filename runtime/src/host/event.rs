//! Events: marks in the work of a stream.

use std::sync::Arc;

use crate::host::context::Context;
use crate::host::driver::Handle;
use crate::host::error::{Error, Result};
use crate::host::stream::StreamCore;

/// A mark in the work of a stream, complete when the work before it is done. Made by [`Stream::record`]
/// (crate::Stream::record).
pub struct Event {
    context: Arc<Context>,
    handle: Handle,
    /// The stream, and the latest launch before the mark.
    stream: u64,
    until: u64,
}

impl Event {
    pub(crate) fn record(stream: &StreamCore) -> Result<Self> {
        let context = stream.context();
        let live = context.enter()?;
        let handle = live.driver().event_create(true).map_err(|s| live.fail(s))?;
        let until = context.recent().last();
        if let Err(status) = live.driver().event_record(handle, stream.handle()) {
            live.driver().event_destroy(handle);
            return Err(live.fail(status));
        }
        Ok(Self { context: context.clone(), handle, stream: stream.id(), until })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    pub(crate) fn check_context(&self, what: &str, stream: &StreamCore) -> Result<()> {
        if Arc::ptr_eq(&self.context, stream.context()) {
            return Ok(());
        }
        if !self.context.is_alive() {
            self.context.enter()?;
        }
        Err(Error::OtherContext {
            what: what.to_owned(),
            expected: stream.context().describe(),
            found: self.context.describe(),
        })
    }

    /// Tells whether the work before the event is done. Does not wait, and does not report panics.
    ///
    /// # Errors
    /// [`Error::ContextLost`], [`Error::DeviceFault`], [`Error::Driver`].
    pub fn is_complete(&self) -> Result<bool> {
        let live = self.context.enter()?;
        live.driver().event_is_complete(self.handle).map_err(|s| live.fail(s))
    }

    /// Waits until the work before the event is done.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if a kernel of the event's stream panicked; [`Error::ContextLost`],
    /// [`Error::DeviceFault`].
    pub fn synchronize(&self) -> Result<()> {
        let live = self.context.enter()?;
        live.driver().event_synchronize(self.handle).map_err(|s| live.fail(s))?;
        live.report(self.stream, self.until)
    }

    /// Returns the time from `earlier` to this event, in milliseconds as the device measured it. Waits for both; does
    /// not report panics.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::ContextLost`], [`Error::Driver`].
    pub fn elapsed_ms_since(&self, earlier: &Event) -> Result<f32> {
        if !Arc::ptr_eq(&self.context, &earlier.context) {
            earlier.context.enter()?;
            return Err(Error::OtherContext {
                what: "the earlier event".to_owned(),
                expected: self.context.describe(),
                found: earlier.context.describe(),
            });
        }
        let live = self.context.enter()?;
        for event in [earlier, self] {
            live.driver().event_synchronize(event.handle).map_err(|s| live.fail(s))?;
        }
        live.driver().event_elapsed_ms(earlier.handle, self.handle).map_err(|s| live.fail(s))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Ok(live) = self.context.enter() {
            live.driver().event_destroy(self.handle);
        }
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event").field("context", &self.context).finish_non_exhaustive()
    }
}
