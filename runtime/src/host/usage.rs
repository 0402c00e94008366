//! An allocation, and the order of its uses on several streams.
//!
//! Work on one stream is in order by itself. So an allocation that only one stream has used since its last exclusive
//! use needs nothing but a comparison per launch. When another stream comes, it waits for an event recorded at the end
//! of the earlier streams at that moment: a read waits for the last writer, a write for every user. Nothing is
//! recorded before somebody needs it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::host::context::{Context, Live};
use crate::host::driver::{Address, StatusKind};
use crate::host::error::{Error, Result};
use crate::host::stream::StreamCore;

/// Users beyond this many are looked through for streams that are gone and idle.
const TIDY_ABOVE: usize = 8;

/// How a use touches the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// A write through a view of part of the allocation.
    WritePart,
    /// A write through an exclusive reference to all of it.
    WriteAll,
}

/// Memory of one context.
pub(crate) struct Allocation {
    context: Arc<Context>,
    address: Address,
    bytes: usize,
    /// Number of the only stream that a use need not wait for anybody on; 0 when `usage` has to be asked.
    ///
    /// Relaxed accesses do: whatever has to be seen here was done by somebody whose borrow ended before this use.
    sole: AtomicU64,
    usage: Mutex<Usage>,
}

struct Usage {
    /// Every stream that may still be working on the memory, the writer among them.
    users: Vec<Arc<StreamCore>>,
    /// Number of the stream of the last write.
    writer: u64,
    /// Parts of the memory are borrowed mutably side by side: uses do not exclude each other, so none of them may
    /// forget another one.
    split: bool,
}

impl Allocation {
    /// Allocates memory for use on `stream`; `bytes` may be 0.
    pub fn new(live: &Live<'_>, stream: &Arc<StreamCore>, bytes: usize) -> Result<Self> {
        let address = if bytes == 0 {
            // Never dereferenced, but aligned and not null, as a reference to an empty slice must be.
            Address(std::ptr::without_provenance_mut(ALIGNMENT))
        } else {
            live.driver().allocate(bytes, stream.handle()).map_err(|status| match status.kind {
                StatusKind::OutOfMemory => {
                    Error::OutOfMemory { device: live.context().device().to_owned(), bytes }
                }
                _ => live.fail(status),
            })?
        };
        let usage = Usage { users: vec![stream.clone()], writer: stream.id(), split: false };
        Ok(Self {
            context: stream.context().clone(),
            address,
            bytes,
            sole: AtomicU64::new(stream.id()),
            usage: Mutex::new(usage),
        })
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub fn address(&self) -> Address {
        self.address
    }

    /// Tells whether `stream` need not wait for anybody, because nobody else uses the memory.
    #[inline(always)]
    pub fn is_own_of(&self, stream: &StreamCore) -> bool {
        self.sole.load(Ordering::Relaxed) == stream.id()
    }

    /// Orders later work of `stream` behind the uses of the memory that conflict with it. The two belong to one
    /// context.
    pub fn order(&self, live: &Live<'_>, stream: &Arc<StreamCore>, access: Access) -> Result<()> {
        if self.is_own_of(stream) || self.context.is_simulated() {
            return Ok(());
        }
        let mut usage = self.usage();
        let known = usage.users.iter().any(|user| user.id() == stream.id());
        if access == Access::Read && !usage.split {
            if known {
                return Ok(());
            }
            // The writer is not among the users any more if it had finished when it was tidied away.
            if let Some(writer) = usage.users.iter().find(|user| user.id() == usage.writer) {
                stream.wait_for(live, writer)?;
            }
        } else {
            for user in usage.users.iter().filter(|user| user.id() != stream.id()) {
                stream.wait_for(live, user)?;
            }
        }
        if access == Access::WriteAll || (access == Access::WritePart && !usage.split) {
            usage.split = false;
            usage.writer = stream.id();
            live.drop_later(std::mem::replace(&mut usage.users, vec![stream.clone()]));
            self.sole.store(stream.id(), Ordering::Relaxed);
            return Ok(());
        }
        self.sole.store(0, Ordering::Relaxed);
        if !known {
            usage.users.push(stream.clone());
        }
        if usage.users.len() > TIDY_ABOVE {
            usage.tidy(live);
        }
        Ok(())
    }

    /// Notes that parts of the memory are borrowed mutably side by side from now on, until the next write through an
    /// exclusive reference to all of it.
    pub fn split(&self) {
        self.usage().split = true;
        self.sole.store(0, Ordering::Relaxed);
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Usage {
    /// Forgets streams that their owners have dropped and that have nothing left to do.
    fn tidy(&mut self, live: &Live<'_>) {
        let (idle, users): (Vec<_>, Vec<_>) = std::mem::take(&mut self.users).into_iter().partition(|user| {
            user.is_closed() && live.driver().stream_is_idle(user.handle()).unwrap_or(false)
        });
        self.users = users;
        live.drop_later(idle);
    }
}

/// The alignment of every allocation, in bytes.
pub(crate) const ALIGNMENT: usize = 256;

impl Drop for Allocation {
    /// Frees the memory as soon as all its users have passed. Makes no driver call when the context is gone.
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let users = std::mem::take(&mut self.usage.get_mut().unwrap_or_else(PoisonError::into_inner).users);
        match self.context.enter() {
            Err(_) => self.context.driver_after_death().forget(self.address, self.bytes),
            Ok(live) => {
                if let Some((last, others)) = users.split_last() {
                    if !self.context.is_simulated() {
                        for other in others {
                            // A wait that fails means a context that breaks: there is nobody to tell here.
                            let _ = last.wait_for(&live, other);
                        }
                    }
                    live.driver().free(self.address, self.bytes, last.handle());
                }
            }
        }
    }
}
