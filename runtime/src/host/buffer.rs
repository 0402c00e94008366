//! Buffers in device memory, and views of parts of them.

use std::marker::PhantomData;
use std::mem::size_of;
use std::ops::{Bound, Deref, DerefMut, RangeBounds};
use std::sync::Arc;

use crate::host::context::Live;
use crate::host::driver::Address;
use crate::host::error::{Error, Result};
use crate::host::stream::{Stream, StreamCore};
use crate::host::usage::{ALIGNMENT, Access, Allocation};
use crate::param::Element;

/// Owned memory of a device: `len` elements of type `T`, aligned to 256 bytes.
///
/// Made by [`Stream::upload`] and [`Stream::zeros`]. A `&Buffer<T>` passes for a `&DeviceSlice<T>`, a `&mut Buffer<T>`
/// for a `&mut DeviceSlice<T>`. Dropping it does not wait: the memory is freed when the last work that uses it has
/// passed, and it is simply forgotten when the context is gone.
pub struct Buffer<T> {
    slice: DeviceSlice<T, [(); 0]>,
}

/// A run of elements in device memory: what kernels take and copies work on.
///
/// Only ever met behind a reference. The type has no size (`Tail` sees to that and is always left at its default), so
/// that two exclusive references to slices cannot be swapped with each other: a slice stays the part of the buffer it
/// was made from.
pub struct DeviceSlice<T, Tail: ?Sized = [()]> {
    allocation: Arc<Allocation>,
    address: Address,
    len: usize,
    /// Covers the whole allocation by ownership, and is not a view of it.
    whole: bool,
    elements: PhantomData<T>,
    _tail: Tail,
}

/// A shared view of part of a buffer.
pub struct View<'a, T> {
    slice: DeviceSlice<T, [(); 0]>,
    borrow: PhantomData<&'a DeviceSlice<T>>,
}

/// An exclusive view of part of a buffer.
pub struct ViewMut<'a, T> {
    slice: DeviceSlice<T, [(); 0]>,
    borrow: PhantomData<&'a mut DeviceSlice<T>>,
}

/// The address of an element in device memory, for kernels that take `*const T` or `*mut T`.
///
/// Such kernels are `unsafe` to launch. The address keeps nothing alive, and uses of the memory through it are not
/// ordered among streams.
#[derive(Debug)]
pub struct DevicePtr<T> {
    address: Address,
    /// Number of the context; 0 for the null pointer, which fits any.
    context: u64,
    element: PhantomData<T>,
}

impl<T> Clone for DevicePtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DevicePtr<T> {}

impl<T> DevicePtr<T> {
    /// Makes the null pointer, which every context accepts.
    pub const fn null() -> Self {
        Self { address: Address(std::ptr::null_mut()), context: 0, element: PhantomData }
    }

    /// Returns the address as the device sees it (on the simulator: as the host sees it).
    pub fn address(self) -> u64 {
        self.address.0.addr() as u64
    }

    pub(crate) fn raw(self) -> (Address, u64) {
        (self.address, self.context)
    }
}

impl<T: Element> Buffer<T> {
    /// Allocates without defined content; the caller fills it.
    pub(crate) fn allocate(stream: &Stream, len: usize) -> Result<Self> {
        const {
            assert!(
                align_of::<T>() <= ALIGNMENT,
                "an element of device memory is aligned to at most 256 bytes"
            )
        };
        let bytes = size_of::<T>().checked_mul(len).filter(|&bytes| bytes <= isize::MAX as usize);
        let Some(bytes) = bytes else {
            return Err(Error::SizeOverflow { len, element_bytes: size_of::<T>() });
        };
        let live = stream.core().context().enter()?;
        let allocation = Arc::new(Allocation::new(&live, stream.core(), bytes)?);
        let address = allocation.address();
        Ok(Self { slice: DeviceSlice::new(allocation, address, len, true) })
    }
}

impl<T> DeviceSlice<T, [(); 0]> {
    fn new(allocation: Arc<Allocation>, address: Address, len: usize, whole: bool) -> Self {
        Self { allocation, address, len, whole, elements: PhantomData, _tail: [] }
    }
}

impl<T: Element> DeviceSlice<T> {
    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first element, for kernels that take raw pointers.
    pub fn device_ptr(&self) -> DevicePtr<T> {
        DevicePtr { address: self.address, context: self.allocation.context().id(), element: PhantomData }
    }

    /// Borrows the elements of `range`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the range does not lie within the slice.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        let (start, end) = self.bounds(&range)?;
        Ok(View { slice: self.part(start, end), borrow: PhantomData })
    }

    /// Borrows the elements of `range` exclusively.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the range does not lie within the slice.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        let (start, end) = self.bounds(&range)?;
        Ok(ViewMut { slice: self.part(start, end), borrow: PhantomData })
    }

    /// Borrows the first `mid` elements and the others exclusively, side by side.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there are fewer than `mid` elements.
    pub fn split_at_mut(&mut self, mid: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        let (start, end) = self.bounds(&(..mid))?;
        self.allocation.split();
        Ok((
            ViewMut { slice: self.part(start, end), borrow: PhantomData },
            ViewMut { slice: self.part(end, self.len), borrow: PhantomData },
        ))
    }

    fn bounds(&self, range: &impl RangeBounds<usize>) -> Result<(usize, usize)> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        if start <= end && end <= self.len {
            Ok((start, end))
        } else {
            Err(Error::OutOfRange { start, end, len: self.len })
        }
    }

    fn part(&self, start: usize, end: usize) -> DeviceSlice<T, [(); 0]> {
        // The caller has checked the range, so the offset is within the allocation.
        let address = Address(self.address.0.wrapping_add(start * size_of::<T>()));
        DeviceSlice::new(self.allocation.clone(), address, end - start, false)
    }

    #[inline]
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// How a use through an exclusive reference to this slice touches the allocation.
    #[inline]
    pub(crate) fn write_access(&self) -> Access {
        if self.whole { Access::WriteAll } else { Access::WritePart }
    }

    /// Orders later work of `stream` behind earlier uses that conflict with this one. `what` names the buffer in an
    /// error.
    #[inline(always)]
    pub(crate) fn order(
        &self,
        live: &Live<'_>,
        stream: &Arc<StreamCore>,
        access: Access,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        // A stream that is the allocation's own belongs to the same context.
        if self.allocation.is_own_of(stream) {
            return Ok(());
        }
        self.order_slowly(live, stream, access, what)
    }

    #[cold]
    #[inline(never)]
    fn order_slowly(
        &self,
        live: &Live<'_>,
        stream: &Arc<StreamCore>,
        access: Access,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        let (own, expected) = (self.allocation.context(), stream.context());
        if !Arc::ptr_eq(own, expected) {
            // A buffer of a context that is gone says so; it is not just in the wrong place.
            if !own.is_alive() {
                own.enter()?;
            }
            return Err(Error::OtherContext {
                what: what(),
                expected: expected.describe(),
                found: own.describe(),
            });
        }
        self.allocation.order(live, stream, access)
    }
}

/// What errors call a buffer that a stream is asked to copy.
pub(crate) fn the_buffer() -> String {
    "the buffer".to_owned()
}

macro_rules! deref_to_slice {
    ($($owner:ty),*; $($mutable:ty),*) => {
        $(impl<T: Element> Deref for $owner {
            type Target = DeviceSlice<T>;
            #[inline]
            fn deref(&self) -> &DeviceSlice<T> {
                &self.slice
            }
        })*
        $(impl<T: Element> DerefMut for $mutable {
            #[inline]
            fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
                &mut self.slice
            }
        })*
    };
}

deref_to_slice!(Buffer<T>, View<'_, T>, ViewMut<'_, T>; Buffer<T>, ViewMut<'_, T>);

macro_rules! debug {
    ($($name:literal $owner:ty),*) => {
        $(impl<T: Element> std::fmt::Debug for $owner {
            /// Prints length and address, not the elements, which lie on the device.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct($name).field("len", &self.len).field("address", &self.address.0).finish_non_exhaustive()
            }
        })*
    };
}

debug!("Buffer" Buffer<T>, "DeviceSlice" DeviceSlice<T>, "View" View<'_, T>, "ViewMut" ViewMut<'_, T>);
