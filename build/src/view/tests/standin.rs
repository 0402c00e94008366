//! A small device layer that stands for the real one, so that views can be compiled without it.

#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
#![allow(internal_features)]

use core::marker::PhantomData;
use core::ops::Index;

#[diagnostic::on_unimplemented(message = "`{Self}` cannot be passed to a kernel by value")]
pub unsafe trait KernelArg: Copy + Send + Sync + 'static {}
pub unsafe trait Element: KernelArg {}

macro_rules! primitives {
    ($($primitive:ty)*) => { $(
        unsafe impl KernelArg for $primitive {}
        unsafe impl Element for $primitive {}
    )* };
}
primitives!(u8 u32 u64 usize i32 f32 f64);
unsafe impl<T: KernelArg, const N: usize> KernelArg for [T; N] {}
unsafe impl<T: Element, const N: usize> Element for [T; N] {}

pub mod __private {
    use super::*;

    pub unsafe trait KernelParam: Sized {
        type Ptr;
        type Meta;
        unsafe fn from_abi(ptr: Self::Ptr, meta: Self::Meta) -> Self;
    }

    unsafe impl<T: KernelArg> KernelParam for T {
        type Ptr = T;
        type Meta = ();
        #[inline(always)]
        unsafe fn from_abi(value: T, (): ()) -> T {
            value
        }
    }

    unsafe impl<'a, T: Element> KernelParam for &'a [T] {
        type Ptr = &'a [T; 0];
        type Meta = usize;
        #[inline(always)]
        unsafe fn from_abi(ptr: Self::Ptr, len: usize) -> Self {
            unsafe { core::slice::from_raw_parts(ptr.as_ptr(), len) }
        }
    }

    unsafe impl<'a, T: Element> KernelParam for DisjointSlice<'a, T> {
        type Ptr = *mut T;
        type Meta = usize;
        #[inline(always)]
        unsafe fn from_abi(ptr: *mut T, len: usize) -> Self {
            DisjointSlice { ptr, len, lifetime: PhantomData }
        }
    }
}

pub struct DisjointSlice<'a, T> {
    ptr: *mut T,
    len: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

impl<T> DisjointSlice<'_, T> {
    pub fn get_mut(&mut self, index: &ThreadIndex) -> Option<&mut T> {
        (index.0 < self.len).then(|| unsafe { &mut *self.ptr.add(index.0) })
    }
}

pub struct ThreadIndex(usize);

impl<T> Index<&ThreadIndex> for [T] {
    type Output = T;
    fn index(&self, index: &ThreadIndex) -> &T {
        &self[index.0]
    }
}

pub mod thread {
    pub fn index() -> super::ThreadIndex {
        super::ThreadIndex(unsafe { core::arch::nvptx::_thread_idx_x() } as usize)
    }
}

pub mod prelude {
    pub use crate::{DisjointSlice, Element, KernelArg, thread};
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
