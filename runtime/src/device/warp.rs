//! Exchange between the 32 threads of a warp: shuffles, votes and the warp's barrier.
//!
//! All of these are `unsafe`: the lanes named in a mask must execute the very same operation together, which the
//! type system cannot see. The duties are the same everywhere:
//! 1. *Mask*: the calling lane is in `mask`, and every lane of `mask` passes the same mask.
//! 2. *Convergence*: every lane of `mask` executes this operation, the same one in the program, and none of them has
//!    left the kernel.
//!
//! A lane that reads from a lane outside its segment gets its own value; from a lane outside `mask`, an
//! unspecified value.
//! ```
//! use warpweft::prelude::*;
//!
//! #[kernel]
//! fn sum_of_warps(x: &[f32], mut sums: DisjointSlice<f32>) {
//!     let i = thread::index();
//!     let mut sum = x.get(i.get()).copied().unwrap_or(0.0);
//!     for delta in [16, 8, 4, 2, 1] {
//!         // SAFETY: blocks are whole warps (1), and no lane has left or branched (2).
//!         sum += unsafe { warp::shuffle_down(warp::ALL, sum, delta) };
//!     }
//!     if let Some(out) = sums.get_mut(&i) {
//!         *out = sum;
//!     }
//! }
//!
//! fn main() -> warpweft::Result<()> {
//!     let stream = Device::any()?.stream()?;
//!     let (x, mut sums) = (stream.upload(&vec![0.5_f32; 64])?, stream.zeros::<f32>(64)?);
//!     sum_of_warps::launch(&stream, Grid::new(1, 64), &x, &mut sums)?;
//!     let sums = stream.download(&sums)?;
//!     assert_eq!((sums[0], sums[32]), (16.0, 16.0));
//!     Ok(())
//! }
//! ```
//!
//! # References
//! PTX ISA, "Data Movement and Conversion Instructions: shfl.sync" and "Parallel Synchronization and Communication
//! Instructions: vote.sync, bar.warp.sync, activemask".

use super::backend;
use crate::param::Element;

/// Number of threads of a warp.
pub const SIZE: u32 = 32;

/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// A value that shuffles move: the 32- and 64-bit numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shuffled between lanes",
    note = "32- and 64-bit integers and floats can"
)]
pub trait Shuffle: Element + sealed::Words {}

mod sealed {
    pub trait Words: Copy {
        /// Applies `exchange` to each 32-bit word.
        fn map(self, exchange: impl FnMut(u32) -> u32) -> Self;
    }
}

macro_rules! words {
    ($($t:ty: $value:ident => $to:expr, $from:expr;)*) => { $(
        impl sealed::Words for $t {
            #[inline(always)]
            fn map(self, mut exchange: impl FnMut(u32) -> u32) -> Self {
                let $value = self;
                let bits: u64 = $to;
                // 32-bit types never look at the upper word, and LLVM may not drop a convergent operation.
                if size_of::<Self>() == 4 {
                    return $from(exchange(bits as u32) as u64);
                }
                let low = exchange(bits as u32);
                let high = exchange((bits >> 32) as u32);
                $from((high as u64) << 32 | low as u64)
            }
        }
        impl Shuffle for $t {}
    )* };
}

words! {
    u32: v => v as u64, |bits| bits as u32;
    i32: v => v as u32 as u64, |bits| bits as i32;
    f32: v => v.to_bits() as u64, |bits| f32::from_bits(bits as u32);
    u64: v => v, |bits| bits;
    i64: v => v as u64, |bits| bits as i64;
    f64: v => v.to_bits(), f64::from_bits;
    usize: v => v as u64, |bits| bits as usize;
    isize: v => v as u64, |bits| bits as isize;
}

/// Checks at compile time that a segment is a power of two of at least two lanes.
const fn segment(width: u32) -> u32 {
    assert!(matches!(width, 2 | 4 | 8 | 16 | 32), "the width of a shuffle is 2, 4, 8, 16 or 32 lanes");
    width
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident, $in:ident = $backend:ident($argument:ident);)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// 1. Mask, and 2. convergence: see the [module](self).
        #[inline(always)]
        #[track_caller]
        pub unsafe fn $name<T: Shuffle>(mask: u32, value: T, $argument: u32) -> T {
            // SAFETY: the caller's duties.
            value.map(|word| unsafe { backend::$backend(mask, word, $argument, SIZE) })
        }

        #[doc = concat!("As [`", stringify!($name), "`], within segments of `WIDTH` lanes (2, 4, 8, 16 or 32).")]
        ///
        /// # Safety
        /// 1. Mask, and 2. convergence: see the [module](self).
        #[inline(always)]
        #[track_caller]
        pub unsafe fn $in<const WIDTH: u32, T: Shuffle>(mask: u32, value: T, $argument: u32) -> T {
            // SAFETY: the caller's duties; the width is checked at compile time.
            value.map(|word| unsafe { backend::$backend(mask, word, $argument, const { segment(WIDTH) }) })
        }
    )* };
}

shuffles! {
    /// Returns the value of lane `lane` (modulo the width).
    shuffle, shuffle_in = shuffle_idx(lane);
    /// Returns the value of the lane `delta` below, or the caller's own where there is none.
    shuffle_up, shuffle_up_in = shuffle_up(delta);
    /// Returns the value of the lane `delta` above, or the caller's own where there is none.
    shuffle_down, shuffle_down_in = shuffle_down(delta);
    /// Returns the value of the lane whose number differs from the caller's in the bits `bits`.
    shuffle_xor, shuffle_xor_in = shuffle_xor(bits);
}

/// Returns the mask of the lanes that passed `true`.
///
/// # Safety
/// 1. Mask, and 2. convergence: see the [module](self).
#[inline(always)]
#[track_caller]
pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: the caller's duties.
    unsafe { backend::ballot(mask, predicate) }
}

/// Returns whether every lane of `mask` passed `true`.
///
/// # Safety
/// 1. Mask, and 2. convergence: see the [module](self).
#[inline(always)]
#[track_caller]
pub unsafe fn all(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller's duties.
    unsafe { backend::vote_all(mask, predicate) }
}

/// Returns whether some lane of `mask` passed `true`.
///
/// # Safety
/// 1. Mask, and 2. convergence: see the [module](self).
#[inline(always)]
#[track_caller]
pub unsafe fn any(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller's duties.
    unsafe { backend::vote_any(mask, predicate) }
}

/// Waits for the lanes of `mask` and orders their memory accesses.
///
/// # Safety
/// 1. The calling lane is in `mask`, and every lane of `mask` passes the same mask.
/// 2. Every lane of `mask` that has not left the kernel executes a barrier with this mask.
#[inline(always)]
#[track_caller]
pub unsafe fn sync(mask: u32) {
    // SAFETY: the caller's duties.
    unsafe { backend::warp_barrier(mask) }
}

/// Returns the lanes that execute this together with the caller: a hint, which the next instruction may outdate.
#[inline(always)]
#[track_caller]
pub fn active() -> u32 {
    backend::active_mask()
}
