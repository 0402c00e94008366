//! The host half of a kernel parameter: what the launcher takes for it, and how it becomes words.

use std::ffi::c_void;
use std::mem::size_of;
use std::sync::Arc;

use crate::host::buffer::{DevicePtr, DeviceSlice};
use crate::host::context::Live;
use crate::host::error::{Error, Result};
use crate::host::kernel::Kernel;
use crate::host::stream::StreamCore;
use crate::host::usage::Access;
use crate::param::{Element, KernelArg, KernelParam};

/// A parameter type as the host sees it.
///
/// # Safety
/// 1. `bind` returns the words from which `KernelParam::from_abi` may rebuild the parameter once per thread of the
///    launch, on the device of the launch and, for the simulator, on this host.
/// 2. `At<'x>` is the same type for every `'x`, which bounds all that the parameter borrows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter",
    note = "a kernel takes numbers, `&[T]`, `DisjointSlice<T>`, `Atomics<T>`, `Shared<T>`, and structs with `#[derive(KernelArg)]` and `#[repr(C)]`"
)]
pub unsafe trait HostParam: KernelParam<Ptr: Copy, Meta: Copy> {
    /// What the launcher takes.
    type Host<'h>;
    /// The parameter as the kernel gets it: borrowed for `'x`, whatever lifetime the type was written with.
    ///
    /// A kernel has to take it for every `'x`, so that it can keep nothing beyond its launch.
    type At<'x>: KernelParam<Ptr = Self::Ptr, Meta = Self::Meta>;

    /// Checks the value, orders the launch behind earlier uses of its memory, and returns its words.
    fn bind(host: Self::Host<'_>, launch: &mut Binding<'_>) -> Result<(Self::Ptr, Self::Meta)>;
}

/// A launch whose parameters are being bound.
pub struct Binding<'l> {
    live: &'l Live<'l>,
    stream: &'l Arc<StreamCore>,
    kernel: &'static Kernel,
    /// Position of the parameter at work, counted from 1.
    position: u32,
    shared_bytes: usize,
}

impl<'l> Binding<'l> {
    #[inline]
    pub(crate) fn new(live: &'l Live<'l>, stream: &'l Arc<StreamCore>, kernel: &'static Kernel) -> Self {
        Self { live, stream, kernel, position: 0, shared_bytes: 0 }
    }

    /// Dynamic shared memory that the parameters ask for, in bytes.
    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared_bytes
    }

    #[cold]
    fn what(&self) -> String {
        format!("parameter {} of kernel `{}`", self.position, self.kernel.name())
    }

    /// Binds memory that the kernel reads.
    #[inline(always)]
    pub(crate) fn read<T: Element>(&mut self, slice: &DeviceSlice<T>) -> Result<*const T> {
        slice.order(self.live, self.stream, Access::Read, || self.what())?;
        Ok(slice.address().0.cast_const().cast())
    }

    /// Binds memory that the kernel writes.
    #[inline(always)]
    pub(crate) fn write<T: Element>(&mut self, slice: &mut DeviceSlice<T>) -> Result<*mut T> {
        slice.order(self.live, self.stream, slice.write_access(), || self.what())?;
        Ok(slice.address().0.cast())
    }

    /// Binds an address, which must belong to the context of the launch.
    fn address<T>(&mut self, pointer: DevicePtr<T>) -> Result<*mut T> {
        let (address, context) = pointer.raw();
        let expected = self.stream.context();
        if context != 0 && context != expected.id() {
            return Err(Error::OtherContext {
                what: self.what(),
                expected: expected.describe(),
                found: format!("context {context}"),
            });
        }
        Ok(address.0.cast())
    }

    /// Adds dynamic shared memory, in bytes.
    pub(crate) fn add_shared(&mut self, bytes: usize) -> Result<()> {
        let Some(sum) = self.shared_bytes.checked_add(bytes) else {
            return Err(Error::SizeOverflow { len: bytes, element_bytes: 1 });
        };
        self.shared_bytes = sum;
        Ok(())
    }
}

// SAFETY: the only word is the value.
#[diagnostic::do_not_recommend]
unsafe impl<T: KernelArg> HostParam for T {
    type Host<'h> = T;
    type At<'x> = T;

    #[inline(always)]
    fn bind(host: T, _: &mut Binding<'_>) -> Result<(T, ())> {
        Ok((host, ()))
    }
}

// SAFETY: the words are address and length of memory that is borrowed for 'a, and the launch is ordered behind the
// writes to it.
unsafe impl<'a, T: Element> HostParam for &'a [T] {
    type Host<'h> = &'a DeviceSlice<T>;
    type At<'x> = &'x [T];

    #[inline(always)]
    fn bind(host: &'a DeviceSlice<T>, launch: &mut Binding<'_>) -> Result<(*const T, usize)> {
        Ok((launch.read(host)?, host.len()))
    }
}

/// The parameters of a kernel, as a tuple.
///
/// # Safety
/// As for [`HostParam`], for all of them; and `addresses` points to each word of `words` that is not of size zero, in
/// order.
pub unsafe trait Params {
    /// What the launcher takes.
    type Hosts<'h>;
    /// What the kernel takes.
    type At<'x>;
    /// The words of all parameters.
    type Words: Copy;
    /// Room for the address of each word.
    type Addresses: AsMut<[*mut c_void]>;

    /// Binds each parameter in turn.
    fn bind(hosts: Self::Hosts<'_>, launch: &mut Binding<'_>) -> Result<Self::Words>;

    /// Returns the addresses of the words that are passed, and how many they are.
    fn addresses(words: &mut Self::Words) -> (Self::Addresses, usize);

    /// Pushes the sizes of the words that are passed.
    fn sizes(sizes: &mut Vec<usize>);

    /// Rebuilds the parameters.
    ///
    /// # Safety
    /// As for [`KernelParam::from_abi`].
    unsafe fn rebuild<'x>(words: &Self::Words) -> Self::At<'x>;
}

macro_rules! count {
    () => { 0 };
    ($head:ident $($tail:ident)*) => { 1 + count!($($tail)*) };
}

macro_rules! params {
    ($($P:ident)*) => {
        // SAFETY: each parameter vouches for itself, and the words are visited in their order.
        #[allow(non_snake_case, unused_variables, unused_mut, unused_assignments, clippy::unused_unit)]
        unsafe impl<$($P: HostParam),*> Params for ($($P,)*) {
            type Hosts<'h> = ($($P::Host<'h>,)*);
            type At<'x> = ($($P::At<'x>,)*);
            type Words = ($(($P::Ptr, $P::Meta),)*);
            type Addresses = [*mut c_void; 2 * count!($($P)*)];

            #[inline]
            fn bind(($($P,)*): Self::Hosts<'_>, launch: &mut Binding<'_>) -> Result<Self::Words> {
                const { assert!(0 $(+ <$P as KernelParam>::IS_SHARED as u32)* <= 1, "a kernel has one `Shared` parameter") };
                Ok(($({
                    launch.position += 1;
                    $P::bind($P, launch)?
                },)*))
            }

            #[inline]
            fn addresses(($($P,)*): &mut Self::Words) -> (Self::Addresses, usize) {
                let mut addresses = [std::ptr::null_mut(); 2 * count!($($P)*)];
                let mut count = 0;
                $(
                    if size_of::<$P::Ptr>() > 0 {
                        addresses[count] = (&raw mut $P.0).cast();
                        count += 1;
                    }
                    if size_of::<$P::Meta>() > 0 {
                        addresses[count] = (&raw mut $P.1).cast();
                        count += 1;
                    }
                )*
                (addresses, count)
            }

            fn sizes(sizes: &mut Vec<usize>) {
                $(sizes.extend([size_of::<$P::Ptr>(), size_of::<$P::Meta>()].into_iter().filter(|&size| size > 0));)*
            }

            #[inline(always)]
            unsafe fn rebuild<'x>(($($P,)*): &Self::Words) -> Self::At<'x> {
                // SAFETY: the caller vouches for the words of all parameters.
                ($(unsafe { <$P::At<'x>>::from_abi($P.0, $P.1) },)*)
            }
        }
    };
}

macro_rules! params_up_to {
    ($($P:ident)*) => { params_up_to!(@ [] $($P)*); };
    (@ [$($done:ident)*]) => { params!($($done)*); };
    (@ [$($done:ident)*] $head:ident $($tail:ident)*) => {
        params!($($done)*);
        params_up_to!(@ [$($done)* $head] $($tail)*);
    };
}

params_up_to!(A B C D E F G H I J K L M N O P Q R S T);

macro_rules! pointers {
    ($($pointer:ty),*) => { $(
        // SAFETY: the word is an address of the launch's own context; what the kernel does with it is the duty of
        // whoever calls its unsafe launcher.
        unsafe impl<T: Element> HostParam for $pointer where $pointer: KernelParam<Ptr = $pointer, Meta = ()> {
            type Host<'h> = DevicePtr<T>;
            type At<'x> = $pointer;

            #[inline]
            fn bind(host: DevicePtr<T>, launch: &mut Binding<'_>) -> Result<($pointer, ())> {
                Ok((launch.address(host)? as $pointer, ()))
            }
        }
    )* };
}

pointers!(*const T, *mut T);
