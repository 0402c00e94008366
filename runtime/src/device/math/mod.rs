//! Mathematical functions of `f32` and `f64` for kernels, under std's names.
//!
//! core has few of them, and std does not exist on the GPU. With [`Float`] in scope (the prelude has it), `x.sin()` means
//! std's method in the simulator and on the host, and the GPU's in a kernel.
//!
//! On the GPU those that are a single instruction are that instruction; the others are libdevice's functions where the
//! build found a libdevice, and those of the pure-Rust `libm` otherwise.
//!
//! # What is the same on both targets, to the last bit
//! `abs`, `copysign`, `floor`, `ceil`, `round`, `trunc`, `fract`, `sqrt`, `mul_add`, [`rem`](Float::rem) (with
//! the sign of the dividend, exact), and all comparisons. `min` and `max` return the other operand where one is NaN.
//! `a * b + c` is contracted into one rounding on the GPU, not on the CPU; write `mul_add` to have one rounding on both.
//! The operator `%` on floats is inexact on the GPU: write [`rem`](Float::rem).
//!
//! # Accuracy on the GPU
//! Greatest error in units in the last place, over the whole range, of libdevice's functions:
//!
//! | function | `f32` | `f64` |
//! | --- | --- | --- |
//! | `sqrt`, `mul_add` | 0 | 0 |
//! | `rsqrt` | 2 | 1 |
//! | `sin`, `cos` | 2 | 2 |
//! | `tan` | 4 | 2 |
//! | `asin`, `acos` | 2 | 2 |
//! | `atan` | 2 | 2 |
//! | `atan2` | 3 | 2 |
//! | `sinh`, `cosh` | 3, 2 | 2, 1 |
//! | `tanh` | 2 | 1 |
//! | `exp`, `exp2` | 2 | 1 |
//! | `exp_m1` | 1 | 1 |
//! | `ln`, `log2` | 1 | 1 |
//! | `log10` | 2 | 1 |
//! | `ln_1p` | 1 | 1 |
//! | `powf`, `powi` | 4 | 2 |
//! | `cbrt` | 1 | 1 |
//! | `hypot` | 3 | 2 |
//!
//! Here 0 means correctly rounded. `powi` is `powf` with the exponent as a float. `libm`'s functions are within 1 ulp,
//! except `powf` (1.5), and much slower for `f32`.
//!
//! # References
//! CUDA C++ Programming Guide, "Mathematical Functions: Standard Functions", tables of maximum ulp error for single and
//! double precision. `libm`: the documentation of the crate and of musl, from which it was ported.

#[cfg(target_arch = "nvptx64")]
mod exact;
#[cfg_attr(not(target_arch = "nvptx64"), path = "host.rs")]
#[cfg_attr(all(target_arch = "nvptx64", warpweft_libdevice), path = "libdevice.rs")]
#[cfg_attr(all(target_arch = "nvptx64", not(warpweft_libdevice)), path = "libm.rs")]
mod functions;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The mathematical functions of `f32` and `f64`: see the [module](self) for accuracy and for what is equal on both
/// targets.
///
/// Angles are in radians.
pub trait Float: Copy + sealed::Sealed {
    /// Returns the square root, correctly rounded; NaN for negative numbers.
    fn sqrt(self) -> Self;
    /// Returns one over the square root.
    fn rsqrt(self) -> Self;
    /// Returns the cube root.
    fn cbrt(self) -> Self;
    /// Returns the sine.
    fn sin(self) -> Self;
    /// Returns the cosine.
    fn cos(self) -> Self;
    /// Returns the tangent.
    fn tan(self) -> Self;
    /// Returns the arcsine, between -pi/2 and pi/2.
    fn asin(self) -> Self;
    /// Returns the arccosine, between 0 and pi.
    fn acos(self) -> Self;
    /// Returns the arctangent, between -pi/2 and pi/2.
    fn atan(self) -> Self;
    /// Returns the hyperbolic sine.
    fn sinh(self) -> Self;
    /// Returns the hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Returns the hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Returns e to the power `self`.
    fn exp(self) -> Self;
    /// Returns 2 to the power `self`.
    fn exp2(self) -> Self;
    /// Returns e to the power `self`, minus one, accurate near zero.
    fn exp_m1(self) -> Self;
    /// Returns the natural logarithm.
    fn ln(self) -> Self;
    /// Returns the logarithm to base 2.
    fn log2(self) -> Self;
    /// Returns the logarithm to base 10.
    fn log10(self) -> Self;
    /// Returns the natural logarithm of one plus `self`, accurate near zero.
    fn ln_1p(self) -> Self;
    /// Returns the largest integer not above `self`.
    fn floor(self) -> Self;
    /// Returns the smallest integer not below `self`.
    fn ceil(self) -> Self;
    /// Returns the nearest integer; halves are rounded away from zero.
    fn round(self) -> Self;
    /// Returns the integer part.
    fn trunc(self) -> Self;
    /// Returns `self` to the power `exponent`.
    fn powf(self, exponent: Self) -> Self;
    /// Returns the angle of the point (`x`, `self`), between -pi and pi.
    fn atan2(self, x: Self) -> Self;
    /// Returns the length of the vector (`self`, `other`), without overflow on the way.
    fn hypot(self, other: Self) -> Self;
    /// Returns the remainder of the division truncated towards zero, exactly: C's `fmod`, and Rust's `%` on the CPU.
    fn rem(self, divisor: Self) -> Self;
    /// Returns `self` to the power `exponent`.
    fn powi(self, exponent: i32) -> Self;
    /// Returns `self * factor + summand` with one rounding.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// Returns `self` minus its integer part.
    fn fract(self) -> Self;
    /// Returns sine and cosine.
    fn sin_cos(self) -> (Self, Self);
}

macro_rules! float {
    ($t:ident: $($unary:ident)*; $($binary:ident)*) => {
        impl Float for $t {
            $(
                #[inline(always)]
                fn $unary(self) -> $t {
                    functions::$t::$unary(self)
                }
            )*
            $(
                #[inline(always)]
                fn $binary(self, other: $t) -> $t {
                    functions::$t::$binary(self, other)
                }
            )*
            #[inline(always)]
            fn powi(self, exponent: i32) -> $t {
                functions::$t::powi(self, exponent)
            }
            #[inline(always)]
            fn mul_add(self, factor: $t, summand: $t) -> $t {
                functions::$t::mul_add(self, factor, summand)
            }
            #[inline(always)]
            fn fract(self) -> $t {
                self - functions::$t::trunc(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> ($t, $t) {
                (functions::$t::sin(self), functions::$t::cos(self))
            }
        }
    };
}

float!(f32:
    sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh exp exp2 exp_m1 ln log2 log10 ln_1p floor ceil round trunc;
    powf atan2 hypot rem
);
float!(f64:
    sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh exp exp2 exp_m1 ln log2 log10 ln_1p floor ceil round trunc;
    powf atan2 hypot rem
);

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::Float;

    /// The functions that claim to be exact, against values that are known.
    #[test]
    fn exact_functions() {
        assert_eq!(Float::rem(-7.5_f32, 2.0), -1.5);
        assert_eq!(Float::rem(1.0e30_f64, 3.0), 1.0e30 % 3.0);
        assert_eq!(Float::round(-2.5_f32), -3.0);
        assert_eq!(Float::fract(-2.25_f64), -0.25);
        assert_eq!(
            Float::mul_add(1.0_f32 + f32::EPSILON, 1.0 - f32::EPSILON, -1.0),
            -f32::EPSILON * f32::EPSILON
        );
    }

    #[test]
    fn rsqrt_is_one_over_the_root() {
        for x in [0.25_f32, 1.0, 2.0, 1.0e-30, 3.0e30] {
            let (got, want) = (f64::from(x.rsqrt()), 1.0 / f64::from(x).sqrt());
            assert!(
                (got - want).abs() <= 2.0 * want * f64::from(f32::EPSILON),
                "rsqrt({x}) = {got}, not {want}"
            );
        }
        assert_eq!(0.0_f64.rsqrt(), f64::INFINITY);
    }
}
