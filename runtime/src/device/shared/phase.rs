//! The token that owns the phase of all shared arrays of a block.

use core::marker::PhantomData;

use super::{Place, Rotating, SharedLayout, backend};

/// The state of a [`Phase`] that has passed an even number of barriers.
#[derive(Debug)]
pub enum Even {}
/// The state of a [`Phase`] that has passed an odd number of barriers.
#[derive(Debug)]
pub enum Odd {}

/// The interval between two barriers, with all shared arrays of the block: see the [module](super).
///
/// What [`arrays`](Phase::arrays) gives cannot be kept past the barrier:
/// ```compile_fail,E0505
/// use warpweft::prelude::*;
///
/// fn stale(shared: Shared<[f32; 64]>) -> f32 {
///     let mut phase = shared.phases().sync();
///     let tile = phase.arrays();
///     let _next = phase.sync();
///     tile[0]
/// }
/// ```
/// nor can a barrier be passed on one way through the program and not on the other:
/// ```compile_fail,E0382
/// use warpweft::prelude::*;
///
/// fn one_sided(shared: Shared<[f32; 64]>, condition: bool) {
///     let mut phase = shared.phases();
///     if condition {
///         phase.sync();
///     }
///     phase.arrays().set(1.0);
/// }
/// ```
#[must_use = "without its phase a thread cannot reach shared memory any more"]
pub struct Phase<'b, L: SharedLayout + ?Sized, P> {
    place: Place,
    block: PhantomData<&'b mut ()>,
    layout: PhantomData<fn(&L, P)>,
}

impl<'b, L: SharedLayout + ?Sized> Phase<'b, L, Even> {
    /// Interval 0. To be made once by a thread, from the kernel's `Shared`.
    #[inline(always)]
    pub(super) fn begin(place: Place) -> Self {
        Phase { place, block: PhantomData, layout: PhantomData }
    }
}

/// Waits at the barrier that ends an interval.
#[inline(always)]
#[track_caller]
fn next_interval() {
    // SAFETY: a barrier that fewer threads reach is passed when the others have left (module docs); bare barriers keep
    // the count (duty 2 of `sync_threads`).
    if !unsafe { backend::block_barrier() } {
        leaving()
    }
}

/// A destructor that runs in a panic may not go on to the next interval, since the thread does not wait any more.
#[cold]
#[inline(never)]
#[track_caller]
fn leaving() -> ! {
    panic!("a thread that is leaving by a panic has come to the end of its phase of shared memory")
}

macro_rules! parity {
    ($this:ident, $next:ident, $make:ident) => {
        impl<'b, L: SharedLayout + ?Sized> Phase<'b, L, $this> {
            /// Borrows what this interval permits: for each array of `L` a handle to write this thread's own elements,
            /// or a reference to read all.
            #[inline(always)]
            #[track_caller]
            pub fn arrays(&mut self) -> L::$this<'_> {
                // SAFETY: memory of `L` by `Shared::from_abi`; the interval has this parity, and lasts as long as
                // `self` is borrowed.
                unsafe { L::$make(self.place) }
            }

            /// Waits until all threads of the block that have not left the kernel have passed as many barriers, and
            /// begins the next interval: what was written before is visible after.
            #[inline(always)]
            #[track_caller]
            pub fn sync(self) -> Phase<'b, L, $next> {
                next_interval();
                Phase { place: self.place, block: PhantomData, layout: PhantomData }
            }
        }
    };
}

parity!(Even, Odd, even);
parity!(Odd, Even, odd);

/// As [`Phase`], for layouts that give the same types in every interval: one barrier per turn of a loop.
///
/// A sum over the block by halves, in one barrier per step:
/// ```
/// use warpweft::prelude::*;
///
/// #[kernel]
/// fn sums(x: &[f32], mut out: DisjointSlice<f32>, shared: Shared<Double<[f32; 256]>>) {
///     let (i, rank) = (thread::index(), thread::rank() as usize);
///     let mut sum = x[&i];
///     let mut rounds = shared.rounds();
///     let mut half = 128;
///     while half > 0 {
///         rounds.arrays().0.set(sum);
///         rounds.sync();
///         let (_, read) = rounds.arrays();
///         if rank < half {
///             sum += read[rank + half];
///         }
///         half /= 2;
///     }
///     if let Some(out) = out.get_mut(&i) {
///         *out = sum; // the block's sum in its first thread
///     }
/// }
///
/// fn main() -> warpweft::Result<()> {
///     let stream = Device::any()?.stream()?;
///     let (x, mut out) = (stream.upload(&vec![0.5_f32; 512])?, stream.zeros::<f32>(512)?);
///     sums::launch(&stream, Grid::new(2, 256), &x, &mut out)?;
///     let out = stream.download(&out)?;
///     assert_eq!((out[0], out[256]), (128.0, 128.0));
///     Ok(())
/// }
/// ```
pub struct Rounds<'b, L: Rotating + ?Sized> {
    place: Place,
    odd: bool,
    block: PhantomData<&'b mut ()>,
    layout: PhantomData<fn(&L)>,
}

impl<L: Rotating + ?Sized> Rounds<'_, L> {
    /// Interval 0. To be made once by a thread, from the kernel's `Shared`.
    #[inline(always)]
    pub(super) fn begin(place: Place) -> Self {
        Rounds { place, odd: false, block: PhantomData, layout: PhantomData }
    }

    /// Borrows what this interval permits: for a [`Double`](super::Double) the pair of the copy to write and the copy
    /// to read.
    #[inline(always)]
    #[track_caller]
    pub fn arrays(&mut self) -> L::Now<'_> {
        // SAFETY: memory of `L` by `Shared::from_abi`; `odd` counts the barriers, and the interval lasts as long as
        // `self` is borrowed.
        unsafe { L::now(self.place, self.odd) }
    }

    /// Waits as [`Phase::sync`] does, and exchanges what is written and what is read.
    #[inline(always)]
    #[track_caller]
    pub fn sync(&mut self) {
        next_interval();
        self.odd = !self.odd;
    }
}
