//! Where an array lies in the block's shared memory.

use core::marker::PhantomData;

use super::backend;

/// A place in the block's shared memory.
///
/// On the GPU it is an offset, so that every access starts from the shared array itself, which LLVM then knows to lie
/// in shared memory; on the CPU it is an address.
#[derive(Clone, Copy)]
pub struct Place {
    #[cfg(target_arch = "nvptx64")]
    offset: usize,
    #[cfg(not(target_arch = "nvptx64"))]
    address: *mut u8,
    of_this_thread: PhantomData<*mut ()>,
}

impl Place {
    /// The start of the block's shared memory.
    #[inline(always)]
    pub(super) fn start() -> Place {
        Place {
            #[cfg(target_arch = "nvptx64")]
            offset: 0,
            #[cfg(not(target_arch = "nvptx64"))]
            address: backend::shared_base(),
            of_this_thread: PhantomData,
        }
    }

    /// The place some bytes further on.
    #[inline(always)]
    pub(super) fn plus(mut self, bytes: usize) -> Place {
        #[cfg(target_arch = "nvptx64")]
        {
            self.offset = self.offset.wrapping_add(bytes);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            self.address = self.address.wrapping_add(bytes);
        }
        self
    }

    /// The address.
    #[inline(always)]
    pub(super) fn pointer<T>(self) -> *mut T {
        #[cfg(target_arch = "nvptx64")]
        let address = backend::shared_base().wrapping_add(self.offset);
        #[cfg(not(target_arch = "nvptx64"))]
        let address = self.address;
        address.cast()
    }

    /// Element `i` of an array that begins here.
    ///
    /// # Safety
    /// 1. The memory from here to the end of the element belongs to the block's shared memory, is aligned, and lives for
    ///    `'p`.
    /// 2. Nothing else reaches the element during `'p`.
    #[inline(always)]
    pub(super) unsafe fn element<'p, T>(self, i: usize) -> &'p mut T {
        // SAFETY: the caller's duty 1.
        let element = unsafe { self.pointer::<T>().add(i) };
        // SAFETY: the caller's duties.
        unsafe { &mut *element }
    }

    /// How many elements of `T` lie between here and the end of the block's shared memory.
    #[inline(always)]
    pub(super) fn elements_left<T>(self) -> usize {
        #[cfg(target_arch = "nvptx64")]
        let before = self.offset;
        #[cfg(not(target_arch = "nvptx64"))]
        let before = self.address.addr().wrapping_sub(backend::shared_base().addr());
        match size_of::<T>() {
            0 => 0,
            size => (backend::shared_bytes() as usize).saturating_sub(before) / size,
        }
    }
}
