//! Which types describe shared memory, and what each gives in which phase.

use core::marker::PhantomData;

use super::{Own, OwnTile, Place, RawShared, RawTile};
use crate::device::atomic::{Atomic, AtomicElement, Block};
use crate::param::Element;

/// A type that describes arrays in shared memory: see the table in the [module](super).
///
/// # Safety
/// 1. `BYTES`, `ALIGN` and `TAIL` hold the memory that the handles reach.
/// 2. In even and odd intervals, each as a whole, the handles of the threads of a block do not race.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe shared memory",
    note = "`[T; N]`, `Tile<T, ROWS, COLUMNS>`, `Double<..>`, `Later<..>`, `[Atomic<T, Block>; N]`, tuples of these, and a trailing `[T]` do, where `T` is an `Element`"
)]
pub unsafe trait SharedLayout: 'static {
    /// Bytes of the layout, without a trailing `[T]`.
    const BYTES: usize;
    /// Alignment of the layout in bytes, at most 16.
    const ALIGN: usize;
    /// Bytes of an element of the trailing `[T]`, or 0 if there is none.
    const TAIL: usize;

    /// What the launcher takes for the layout: `()`, or the length of the trailing `[T]`.
    type Length: Length;
    /// What an even interval gives.
    type Even<'p>;
    /// What an odd interval gives.
    type Odd<'p>;
    /// The views without phases.
    type Raw<'b>;

    /// Makes the handles of an even interval.
    ///
    /// # Safety
    /// 1. `place` starts memory of this layout, aligned, which lives for `'p`.
    /// 2. The thread is in an even interval for `'p`, and makes no other handles of this place meanwhile.
    #[doc(hidden)]
    unsafe fn even<'p>(place: Place) -> Self::Even<'p>;

    /// Makes the handles of an odd interval.
    ///
    /// # Safety
    /// As for `even`, in an odd interval.
    #[doc(hidden)]
    unsafe fn odd<'p>(place: Place) -> Self::Odd<'p>;

    /// Makes the views without phases.
    ///
    /// # Safety
    /// 1. `place` starts memory of this layout, aligned, which lives for `'b`.
    #[doc(hidden)]
    unsafe fn raw<'b>(place: Place) -> Self::Raw<'b>;

    /// Returns the bytes of the layout with a trailing `[T]` of `tail` elements, or `None` if they are too many to
    /// count.
    fn bytes(tail: usize) -> Option<usize> {
        Self::TAIL.checked_mul(tail)?.checked_add(Self::BYTES)
    }
}

/// What the launcher takes for a layout: `()`, or the number of elements of its trailing `[T]`.
pub trait Length: Copy {
    /// Returns the number of elements of the trailing `[T]`.
    fn tail(self) -> usize;
}

impl Length for () {
    #[inline(always)]
    fn tail(self) -> usize {
        0
    }
}

impl Length for usize {
    #[inline(always)]
    fn tail(self) -> usize {
        self
    }
}

/// A [`SharedLayout`] whose handles have the same type in every interval, so that a loop can hold one barrier per turn.
///
/// # Safety
/// 1. As [`SharedLayout`], duty 2.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives something else in every other interval, so it has phases and no rounds",
    note = "`Double<..>`, `[Atomic<T, Block>; N]` and tuples of these have rounds; use `Shared::phases` for the others"
)]
pub unsafe trait Rotating: SharedLayout {
    /// What each interval gives.
    type Now<'p>;

    /// Makes the handles of an interval, an odd one or an even one.
    ///
    /// # Safety
    /// As for [`SharedLayout::even`], in an interval of the parity told.
    #[doc(hidden)]
    unsafe fn now<'p>(place: Place, odd: bool) -> Self::Now<'p>;
}

/// Checks at compile time that the memory's start is aligned enough.
const fn alignment<T>() -> usize {
    assert!(align_of::<T>() <= 16, "an element of shared memory is aligned to at most 16 bytes");
    align_of::<T>()
}

/// Rounds `bytes` up to a multiple of `align`, a power of two.
const fn round_up(bytes: usize, align: usize) -> usize {
    (bytes + (align - 1)) & !(align - 1)
}

// SAFETY: size and alignment are the array's. Even: `Own` gives element i to thread i modulo the block's size, so no
// two threads reach one element. Odd: all only read.
unsafe impl<T: Element, const N: usize> SharedLayout for [T; N] {
    const BYTES: usize = size_of::<Self>();
    const ALIGN: usize = alignment::<T>();
    const TAIL: usize = 0;
    type Length = ();
    type Even<'p> = Own<'p, T>;
    type Odd<'p> = &'p [T; N];
    type Raw<'b> = RawShared<'b, T>;

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> Own<'p, T> {
        Own::new(place, N)
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> &'p [T; N] {
        // SAFETY: the caller's duties: memory of this layout, which no thread writes in this interval.
        unsafe { &*place.pointer() }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> RawShared<'b, T> {
        RawShared::new(place, N)
    }
}

// SAFETY: as for `[T; N]`; the length is what the launch reserved.
unsafe impl<T: Element> SharedLayout for [T] {
    const BYTES: usize = 0;
    const ALIGN: usize = alignment::<T>();
    const TAIL: usize = size_of::<T>();
    type Length = usize;
    type Even<'p> = Own<'p, T>;
    type Odd<'p> = &'p [T];
    type Raw<'b> = RawShared<'b, T>;

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> Own<'p, T> {
        Own::new(place, place.elements_left::<T>())
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> &'p [T] {
        // SAFETY: the caller's duties: memory of this layout, which no thread writes in this interval.
        unsafe { core::slice::from_raw_parts(place.pointer(), place.elements_left::<T>()) }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> RawShared<'b, T> {
        RawShared::new(place, place.elements_left::<T>())
    }
}

/// A matrix in shared memory, whose elements belong to threads by row and column.
///
/// The element in row r and column c belongs to the thread at y = r modulo the block's size along y and x = c modulo
/// its size along x (z = 0). A column that is there only to spread rows over the banks costs nothing but memory:
/// `Tile<f32, 32, 33>`.
#[derive(Debug)]
pub struct Tile<T, const ROWS: usize, const COLUMNS: usize>(PhantomData<T>);

// SAFETY: size and alignment are the nested array's. Even: `OwnTile` gives each element to one thread. Odd: all read.
unsafe impl<T: Element, const ROWS: usize, const COLUMNS: usize> SharedLayout for Tile<T, ROWS, COLUMNS> {
    const BYTES: usize = size_of::<[[T; COLUMNS]; ROWS]>();
    const ALIGN: usize = alignment::<T>();
    const TAIL: usize = 0;
    type Length = ();
    type Even<'p> = OwnTile<'p, T, ROWS, COLUMNS>;
    type Odd<'p> = &'p [[T; COLUMNS]; ROWS];
    type Raw<'b> = RawTile<'b, T, ROWS, COLUMNS>;

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> OwnTile<'p, T, ROWS, COLUMNS> {
        OwnTile::new(place)
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> &'p [[T; COLUMNS]; ROWS] {
        // SAFETY: the caller's duties: memory of this layout, which no thread writes in this interval.
        unsafe { &*place.pointer() }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> RawTile<'b, T, ROWS, COLUMNS> {
        RawTile::new(place)
    }
}

/// The arrays of `A` with even and odd intervals exchanged: read first, written in interval 1.
#[derive(Debug)]
pub struct Later<A>(PhantomData<A>);

// SAFETY: as `A`, whose even intervals are this one's odd ones.
unsafe impl<A: SharedLayout> SharedLayout for Later<A> {
    const BYTES: usize = A::BYTES;
    const ALIGN: usize = A::ALIGN;
    const TAIL: usize = A::TAIL;
    type Length = A::Length;
    type Even<'p> = A::Odd<'p>;
    type Odd<'p> = A::Even<'p>;
    type Raw<'b> = A::Raw<'b>;

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> A::Odd<'p> {
        // SAFETY: forwarded.
        unsafe { A::odd(place) }
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> A::Even<'p> {
        // SAFETY: forwarded.
        unsafe { A::even(place) }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> A::Raw<'b> {
        // SAFETY: forwarded.
        unsafe { A::raw(place) }
    }
}

/// Two copies of the arrays of `A`: in every interval one is written and the other read, exchanged at each barrier.
///
/// It gives the pair (to write, to read). What the first holds is of two intervals ago.
#[derive(Debug)]
pub struct Double<A>(PhantomData<A>);

/// Bytes from the first copy of `A` to the second.
const fn copy<A: SharedLayout>() -> usize {
    assert!(A::TAIL == 0, "`Double` takes arrays of fixed length");
    round_up(A::BYTES, A::ALIGN)
}

// SAFETY: copy c gives the even handles of `A` in intervals of parity c, and the odd handles in the others.
unsafe impl<A: SharedLayout> SharedLayout for Double<A> {
    const BYTES: usize = copy::<A>() + A::BYTES;
    const ALIGN: usize = A::ALIGN;
    const TAIL: usize = 0;
    type Length = ();
    type Even<'p> = (A::Even<'p>, A::Odd<'p>);
    type Odd<'p> = (A::Even<'p>, A::Odd<'p>);
    type Raw<'b> = (A::Raw<'b>, A::Raw<'b>);

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> Self::Even<'p> {
        // SAFETY: forwarded.
        unsafe { Self::now(place, false) }
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> Self::Odd<'p> {
        // SAFETY: forwarded.
        unsafe { Self::now(place, true) }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> Self::Raw<'b> {
        // SAFETY: the two copies are memory of `A`.
        (unsafe { A::raw(place) }, unsafe { A::raw(place.plus(copy::<A>())) })
    }
}

// SAFETY: as above.
unsafe impl<A: SharedLayout> Rotating for Double<A> {
    type Now<'p> = (A::Even<'p>, A::Odd<'p>);

    #[inline(always)]
    unsafe fn now<'p>(place: Place, odd: bool) -> Self::Now<'p> {
        let (zero, one) = (place, place.plus(copy::<A>()));
        let (write, read) = if odd { (one, zero) } else { (zero, one) };
        // SAFETY: the two copies are memory of `A`; copy c is made even in intervals of parity c only, and odd in the
        // others only, as its own count would have it, shifted by c.
        (unsafe { A::even(write) }, unsafe { A::odd(read) })
    }
}

// SAFETY: size and alignment are the array's; every access is atomic for the block, which alone reaches the memory.
unsafe impl<T: AtomicElement, const N: usize> SharedLayout for [Atomic<T, Block>; N] {
    const BYTES: usize = size_of::<[T; N]>();
    const ALIGN: usize = alignment::<T>();
    const TAIL: usize = 0;
    type Length = ();
    type Even<'p> = &'p [Atomic<T, Block>; N];
    type Odd<'p> = &'p [Atomic<T, Block>; N];
    type Raw<'b> = &'b [Atomic<T, Block>; N];

    #[inline(always)]
    unsafe fn even<'p>(place: Place) -> Self::Even<'p> {
        // SAFETY: memory of this layout; all accesses are atomic.
        unsafe { &*place.pointer() }
    }

    #[inline(always)]
    unsafe fn odd<'p>(place: Place) -> Self::Odd<'p> {
        // SAFETY: memory of this layout; all accesses are atomic.
        unsafe { &*place.pointer() }
    }

    #[inline(always)]
    unsafe fn raw<'b>(place: Place) -> Self::Raw<'b> {
        // SAFETY: memory of this layout; all accesses are atomic.
        unsafe { &*place.pointer() }
    }
}

// SAFETY: as above.
unsafe impl<T: AtomicElement, const N: usize> Rotating for [Atomic<T, Block>; N] {
    type Now<'p> = &'p [Atomic<T, Block>; N];

    #[inline(always)]
    unsafe fn now<'p>(place: Place, _odd: bool) -> Self::Now<'p> {
        // SAFETY: memory of this layout; all accesses are atomic.
        unsafe { &*place.pointer() }
    }
}

/// The offset of `B` behind a layout of `bytes` bytes.
const fn behind<B: SharedLayout + ?Sized>(bytes: usize) -> usize {
    round_up(bytes, B::ALIGN)
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Lays arrays out one after the other. `$head` have fixed length; `$last` may end in `[T]`.
macro_rules! tuples {
    ($($($head:ident $at:ident),+; $last:ident $last_at:ident.)*) => { $(
        // SAFETY: each part lies behind the one before it, aligned, and is handled as its own type says.
        unsafe impl<$($head: SharedLayout,)+ $last: SharedLayout + ?Sized> SharedLayout for ($($head,)+ $last) {
            const BYTES: usize = {
                let mut end = 0;
                $(
                    assert!($head::TAIL == 0, "only the last part of a shared layout may be `[T]`");
                    end = behind::<$head>(end) + $head::BYTES;
                )+
                behind::<$last>(end) + $last::BYTES
            };
            const ALIGN: usize = {
                let mut align = $last::ALIGN;
                $(align = max(align, $head::ALIGN);)+
                align
            };
            const TAIL: usize = $last::TAIL;
            type Length = $last::Length;
            type Even<'p> = ($($head::Even<'p>,)+ $last::Even<'p>);
            type Odd<'p> = ($($head::Odd<'p>,)+ $last::Odd<'p>);
            type Raw<'b> = ($($head::Raw<'b>,)+ $last::Raw<'b>);

            tuples!(@each even 'p Even: $($head $at),+; $last $last_at);
            tuples!(@each odd 'p Odd: $($head $at),+; $last $last_at);
            tuples!(@each raw 'b Raw: $($head $at),+; $last $last_at);
        }

        // SAFETY: as above.
        unsafe impl<$($head: Rotating,)+ $last: Rotating> Rotating for ($($head,)+ $last) {
            type Now<'p> = ($($head::Now<'p>,)+ $last::Now<'p>);

            #[inline(always)]
            unsafe fn now<'p>(place: Place, odd: bool) -> Self::Now<'p> {
                let end = 0;
                $(
                    let $at = behind::<$head>(end);
                    let end = $at + $head::BYTES;
                )+
                let $last_at = behind::<$last>(end);
                // SAFETY: forwarded; the parts are disjoint.
                ($(unsafe { $head::now(place.plus($at), odd) },)+ unsafe { $last::now(place.plus($last_at), odd) })
            }
        }
    )* };
    (@each $make:ident $lifetime:lifetime $handle:ident: $($head:ident $at:ident),+; $last:ident $last_at:ident) => {
        #[inline(always)]
        unsafe fn $make<$lifetime>(place: Place) -> Self::$handle<$lifetime> {
            let end = 0;
            $(
                let $at = behind::<$head>(end);
                let end = $at + $head::BYTES;
            )+
            let $last_at = behind::<$last>(end);
            // SAFETY: forwarded; the parts are disjoint.
            ($(unsafe { $head::$make(place.plus($at)) },)+ unsafe { $last::$make(place.plus($last_at)) })
        }
    };
}

tuples! {
    A a; B b.
    A a, B b; C c.
    A a, B b, C c; D d.
    A a, B b, C c, D d; E e.
    A a, B b, C c, D d, E e; F f.
    A a, B b, C c, D d, E e, F f; G g.
    A a, B b, C c, D d, E e, F f, G g; H h.
}
