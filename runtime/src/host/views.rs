//! What launchers take for the views of the device layer.

use crate::device::atomic::{AtomicElement, Atomics};
use crate::device::shared::{Length, Shared, SharedLayout};
use crate::device::view::{DisjointChunks, DisjointGrid, DisjointSlice, RawSlice, Shape2};
use crate::host::buffer::DeviceSlice;
use crate::host::error::{Error, Result};
use crate::host::param::{Binding, HostParam};
use crate::param::Element;

// SAFETY: the words are address and length of memory that is borrowed exclusively for the launch, and the launch is ordered
// behind all other uses of it.
unsafe impl<'a, T: Element> HostParam for DisjointSlice<'a, T> {
    type Host<'h> = &'a mut DeviceSlice<T>;
    type At<'x> = DisjointSlice<'x, T>;

    #[inline]
    fn bind(host: &'a mut DeviceSlice<T>, launch: &mut Binding<'_>) -> Result<(*mut T, usize)> {
        let len = host.len();
        Ok((launch.write(host)?, len))
    }
}

// SAFETY: as above.
unsafe impl<'a, T: Element, const N: usize> HostParam for DisjointChunks<'a, T, N> {
    type Host<'h> = &'a mut DeviceSlice<T>;
    type At<'x> = DisjointChunks<'x, T, N>;

    #[inline]
    fn bind(host: &'a mut DeviceSlice<T>, launch: &mut Binding<'_>) -> Result<(*mut T, usize)> {
        let len = host.len();
        Ok((launch.write(host)?, len))
    }
}

// SAFETY: as above; each access is its author's duty.
unsafe impl<'a, T: Element> HostParam for RawSlice<'a, T> {
    type Host<'h> = &'a mut DeviceSlice<T>;
    type At<'x> = RawSlice<'x, T>;

    #[inline]
    fn bind(host: &'a mut DeviceSlice<T>, launch: &mut Binding<'_>) -> Result<(*mut T, usize)> {
        let len = host.len();
        Ok((launch.write(host)?, len))
    }
}

// SAFETY: as above. That the launch has the memory to itself makes all accesses during it atomic.
unsafe impl<'a, T: AtomicElement> HostParam for Atomics<'a, T> {
    type Host<'h> = &'a mut DeviceSlice<T>;
    type At<'x> = Atomics<'x, T>;

    #[inline]
    fn bind(host: &'a mut DeviceSlice<T>, launch: &mut Binding<'_>) -> Result<(*mut T, usize)> {
        let len = host.len();
        Ok((launch.write(host)?, len))
    }
}

/// A buffer as a matrix, row after row: what a kernel takes as [`DisjointGrid`].
///
/// Made by [`DeviceSlice::grid_mut`].
pub struct GridMut<'a, T> {
    slice: &'a mut DeviceSlice<T>,
    shape: Shape2,
}

impl<T: Element> DeviceSlice<T> {
    /// Borrows the first `rows * columns` elements exclusively as a matrix, row after row, for a kernel that takes a
    /// [`DisjointGrid`].
    ///
    /// # Errors
    /// [`Error::GridRange`] if the slice has fewer elements.
    pub fn grid_mut(&mut self, rows: usize, columns: usize) -> Result<GridMut<'_, T>> {
        if rows.saturating_mul(columns) > self.len() {
            return Err(Error::GridRange { rows, columns, len: self.len() });
        }
        Ok(GridMut { slice: self, shape: Shape2 { rows, columns, pitch: columns } })
    }
}

// SAFETY: as for `DisjointSlice`; `grid_mut` has checked that the shape lies within the memory.
unsafe impl<'a, T: Element> HostParam for DisjointGrid<'a, T> {
    type Host<'h> = GridMut<'a, T>;
    type At<'x> = DisjointGrid<'x, T>;

    #[inline]
    fn bind(host: GridMut<'a, T>, launch: &mut Binding<'_>) -> Result<(*mut T, Shape2)> {
        Ok((launch.write(host.slice)?, host.shape))
    }
}

// SAFETY: there are no words; the launch reserves the memory of the layout, which is the only one of the kernel.
unsafe impl<L: SharedLayout + ?Sized> HostParam for Shared<'_, L> {
    type Host<'h> = L::Length;
    type At<'x> = Shared<'x, L>;

    #[inline]
    fn bind(length: L::Length, launch: &mut Binding<'_>) -> Result<((), ())> {
        let tail = length.tail();
        let Some(bytes) = L::bytes(tail) else {
            return Err(Error::SizeOverflow { len: tail, element_bytes: L::TAIL });
        };
        launch.add_shared(bytes)?;
        Ok(((), ()))
    }
}
