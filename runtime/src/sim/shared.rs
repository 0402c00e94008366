//! The shared memory of a block.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr;

/// Alignment of shared memory in bytes.
const ALIGN: usize = 128;

/// What every byte of shared memory holds before the block writes it: on the GPU it would be whatever the last
/// block left there.
pub(crate) const POISON: u8 = 0xa5;

/// Memory that is poisoned for each block, and allocated once for all.
pub(super) struct SharedMemory {
    base: Cell<*mut u8>,
    capacity: Cell<usize>,
}

impl SharedMemory {
    pub const fn new() -> Self {
        Self { base: Cell::new(ptr::null_mut()), capacity: Cell::new(0) }
    }

    /// Start of the memory, aligned to [`ALIGN`] bytes.
    pub fn base(&self) -> *mut u8 {
        if self.base.get().is_null() { ptr::without_provenance_mut(ALIGN) } else { self.base.get() }
    }

    /// What some bytes hold now. They must lie within the memory that the present block was given.
    pub fn bytes(&self, offset: usize, len: usize) -> Vec<u8> {
        assert!(offset + len <= self.capacity.get());
        let first = self.base.get().wrapping_add(offset);
        // SAFETY: within the allocation, all of which is poisoned or written; no other OS thread has this block.
        (0..len).map(|i| unsafe { first.wrapping_add(i).read_volatile() }).collect()
    }

    /// Gives a new block `bytes` of poison.
    pub fn start(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        if bytes > self.capacity.get() {
            self.release();
            let layout = Layout::from_size_align(bytes, ALIGN).expect("a block's shared memory is small");
            // SAFETY: the size is not zero.
            let base = unsafe { alloc(layout) };
            if base.is_null() {
                handle_alloc_error(layout);
            }
            self.base.set(base);
            self.capacity.set(bytes);
        }
        // SAFETY: the memory holds at least `bytes` bytes, and no thread of the last block is left to look.
        unsafe { ptr::write_bytes(self.base.get(), POISON, bytes) };
    }

    fn release(&self) {
        if self.capacity.get() != 0 {
            let layout = Layout::from_size_align(self.capacity.get(), ALIGN).expect("checked when allocated");
            // SAFETY: allocated with this layout, and forgotten right here.
            unsafe { dealloc(self.base.get(), layout) };
            self.base.set(ptr::null_mut());
            self.capacity.set(0);
        }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        self.release();
    }
}
