//! Stacks for coroutines.

use std::io;
use std::num::NonZeroUsize;

use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// Size of a simulated thread's stack in bytes. Only the pages that are touched take memory.
const STACK_BYTES: usize = 256 << 10;

/// A stack whose base is shifted by a few cache lines. Mappings begin on page boundaries, so the tops of
/// unshifted stacks would share one set of the first-level cache, and a barrier of 256 threads would miss in it
/// 256 times.
pub(super) struct ColouredStack {
    stack: DefaultStack,
    shift: usize,
}

impl ColouredStack {
    /// Maps a stack; `colour` counts the stacks of a pool.
    pub fn new(colour: usize) -> io::Result<Self> {
        Ok(Self { stack: DefaultStack::new(STACK_BYTES)?, shift: colour * 320 % 4096 })
    }
}

// SAFETY: the stack lies within `self.stack`, which has a guard page, and whose size leaves far more than
// `MIN_STACK_SIZE` above it. The shift is a multiple of 64, so that the base stays aligned.
unsafe impl Stack for ColouredStack {
    #[inline]
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.stack.base().get() - self.shift).expect("a stack does not lie at address 0")
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.stack.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.stack.update_teb_fields(stack_limit, guaranteed_stack_bytes)
    }
}
