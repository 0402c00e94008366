//! The functions on the GPU where there is no libdevice: the pure-Rust crate `libm`, and the instructions where one is
//! exact.

extern crate libm;

/// Gives the functions of `libm` std's names.
macro_rules! functions {
    ($t:ident: $($name:ident($($argument:ident),+) = $function:ident;)*) => {
        pub mod $t {
            pub use super::super::exact::$t::*;

            $(
                #[inline(always)]
                pub fn $name($($argument: $t),+) -> $t {
                    super::libm::$function($($argument),+)
                }
            )*
            #[inline(always)]
            pub fn powi(x: $t, exponent: i32) -> $t {
                powf(x, exponent as $t)
            }
        }
    };
}

functions! { f32:
    cbrt(x) = cbrtf;
    sin(x) = sinf;
    cos(x) = cosf;
    tan(x) = tanf;
    asin(x) = asinf;
    acos(x) = acosf;
    atan(x) = atanf;
    sinh(x) = sinhf;
    cosh(x) = coshf;
    tanh(x) = tanhf;
    exp(x) = expf;
    exp2(x) = exp2f;
    exp_m1(x) = expm1f;
    ln(x) = logf;
    log2(x) = log2f;
    log10(x) = log10f;
    ln_1p(x) = log1pf;
    powf(x, y) = powf;
    atan2(x, y) = atan2f;
    hypot(x, y) = hypotf;
    rem(x, y) = fmodf;
}
functions! { f64:
    cbrt(x) = cbrt;
    sin(x) = sin;
    cos(x) = cos;
    tan(x) = tan;
    asin(x) = asin;
    acos(x) = acos;
    atan(x) = atan;
    sinh(x) = sinh;
    cosh(x) = cosh;
    tanh(x) = tanh;
    exp(x) = exp;
    exp2(x) = exp2;
    exp_m1(x) = expm1;
    ln(x) = log;
    log2(x) = log2;
    log10(x) = log10;
    ln_1p(x) = log1p;
    powf(x, y) = pow;
    atan2(x, y) = atan2;
    hypot(x, y) = hypot;
    rem(x, y) = fmod;
}
