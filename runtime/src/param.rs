//! How a kernel's parameters cross from host to device: one definition for the macro, the device shim and
//! the launcher.
//!
//! A parameter of type `P` travels as at most two words, `P::Ptr` and `P::Meta`. A word of size zero is not
//! passed at all, on either side. Slices are split into pointer and length because one 16-byte parameter
//! would make LLVM use generic loads.

/// A value that a kernel may take by value: a number, `bool`, or a `#[repr(C)]` struct of such with
/// `#[derive(KernelArg)]`.
///
/// # Safety
/// 1. The layout of the type is the same on host and device (`repr(C)`, `repr(transparent)` or a primitive).
/// 2. The type holds no pointer or reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "numbers and `bool` can, and so can a `#[repr(C)]` struct with `#[derive(Clone, Copy, KernelArg)]`"
)]
pub unsafe trait KernelArg: Copy + Send + Sync + 'static {}

/// A value that may lie in a device buffer or in shared memory, or be shuffled between lanes.
///
/// # Safety
/// 1. Every bit pattern of the type is a valid value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of device memory",
    note = "numbers and arrays of numbers can, and so can a `#[repr(C)]` struct with `#[derive(Clone, Copy, Element)]`; `bool`, `char`, enums and references cannot, since not every bit pattern is one"
)]
pub unsafe trait Element: KernelArg {}

/// A type that a `#[kernel]` function may take.
///
/// # Safety
/// 1. `Ptr` and `Meta` have the same size, alignment and layout on host and device.
/// 2. `from_abi` rebuilds exactly the value whose words the launcher packed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter",
    note = "a kernel takes numbers, `&[T]`, `DisjointSlice<T>`, `Atomics<T>`, `Shared<T>`, and structs with `#[derive(KernelArg)]` and `#[repr(C)]`"
)]
pub unsafe trait KernelParam: Sized {
    /// First word: the value itself for scalars and structs, the data pointer for views.
    type Ptr;
    /// Second word: the length or shape of a view; `()` otherwise.
    type Meta;
    /// Whether the parameter is the block's shared memory, of which a kernel has at most one.
    const IS_SHARED: bool = false;

    /// Rebuilds the parameter from its words.
    ///
    /// # Safety
    /// 1. The words were packed by the launcher for this launch, or copied from such words within it.
    /// 2. One thread rebuilds each parameter at most once.
    unsafe fn from_abi(ptr: Self::Ptr, meta: Self::Meta) -> Self;
}

macro_rules! primitives {
    ($trait:ident: $($primitive:ty)*) => { $(
        // SAFETY: a primitive: equal layout on both sides, no pointer, and as an element every bit pattern is a number.
        unsafe impl $trait for $primitive {}
    )* };
}

primitives!(KernelArg: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool);
primitives!(Element: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

// SAFETY: an array has no padding of its own, and its layout is that of its elements in a row.
unsafe impl<T: KernelArg, const N: usize> KernelArg for [T; N] {}
// SAFETY: as above; every bit pattern of each element is valid.
unsafe impl<T: Element, const N: usize> Element for [T; N] {}

// SAFETY: the only word is the value itself, whose layout is the same on both sides (KernelArg, duty 1).
#[diagnostic::do_not_recommend]
unsafe impl<T: KernelArg> KernelParam for T {
    type Ptr = T;
    type Meta = ();
    #[inline(always)]
    unsafe fn from_abi(value: T, (): ()) -> T {
        value
    }
}

// SAFETY: pointer and length are the two words. The pointee of the first word has size zero, so that an empty
// buffer needs no dereferenceable address, while the reference still tells LLVM `noalias readonly`, which is
// what gives `ld.global.nc`.
unsafe impl<'a, T: Element> KernelParam for &'a [T] {
    #[cfg(target_arch = "nvptx64")]
    type Ptr = &'a [T; 0];
    #[cfg(not(target_arch = "nvptx64"))]
    type Ptr = *const T;
    type Meta = usize;
    #[inline(always)]
    unsafe fn from_abi(ptr: Self::Ptr, len: usize) -> Self {
        #[cfg(target_arch = "nvptx64")]
        let ptr = ptr.as_ptr();
        // SAFETY: the launcher packed the address and length of a live buffer that nothing writes during
        // the launch (KernelParam::from_abi, duty 1).
        unsafe { core::slice::from_raw_parts(ptr, len) }
    }
}

/// Raw pointers, for `unsafe` kernels: the address as it is.
macro_rules! pointers {
    ($($pointer:ty),*) => { $(
        // SAFETY: the only word is the address itself.
        unsafe impl<T> KernelParam for $pointer {
            type Ptr = $pointer;
            type Meta = ();
            #[inline(always)]
            unsafe fn from_abi(address: $pointer, (): ()) -> $pointer {
                address
            }
        }
    )* };
}

pointers!(*const T, *mut T);
