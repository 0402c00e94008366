//! The functions on the GPU: libdevice's, linked in as bitcode.

/// Declares the functions of libdevice and gives them std's names.
macro_rules! functions {
    ($t:ident: $($name:ident($($argument:ident),+) = $function:ident;)*) => {
        pub mod $t {
            pub use super::super::exact::$t::*;

            #[link(name = "warpweft_libdevice", kind = "static")]
            unsafe extern "C" {
                $(safe fn $function($($argument: $t),+) -> $t;)*
            }
            $(
                #[inline(always)]
                pub fn $name($($argument: $t),+) -> $t {
                    $function($($argument),+)
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
    cbrt(x) = __nv_cbrtf;
    sin(x) = __nv_sinf;
    cos(x) = __nv_cosf;
    tan(x) = __nv_tanf;
    asin(x) = __nv_asinf;
    acos(x) = __nv_acosf;
    atan(x) = __nv_atanf;
    sinh(x) = __nv_sinhf;
    cosh(x) = __nv_coshf;
    tanh(x) = __nv_tanhf;
    exp(x) = __nv_expf;
    exp2(x) = __nv_exp2f;
    exp_m1(x) = __nv_expm1f;
    ln(x) = __nv_logf;
    log2(x) = __nv_log2f;
    log10(x) = __nv_log10f;
    ln_1p(x) = __nv_log1pf;
    powf(x, y) = __nv_powf;
    atan2(x, y) = __nv_atan2f;
    hypot(x, y) = __nv_hypotf;
    rem(x, y) = __nv_fmodf;
}
functions! { f64:
    cbrt(x) = __nv_cbrt;
    sin(x) = __nv_sin;
    cos(x) = __nv_cos;
    tan(x) = __nv_tan;
    asin(x) = __nv_asin;
    acos(x) = __nv_acos;
    atan(x) = __nv_atan;
    sinh(x) = __nv_sinh;
    cosh(x) = __nv_cosh;
    tanh(x) = __nv_tanh;
    exp(x) = __nv_exp;
    exp2(x) = __nv_exp2;
    exp_m1(x) = __nv_expm1;
    ln(x) = __nv_log;
    log2(x) = __nv_log2;
    log10(x) = __nv_log10;
    ln_1p(x) = __nv_log1p;
    powf(x, y) = __nv_pow;
    atan2(x, y) = __nv_atan2;
    hypot(x, y) = __nv_hypot;
    rem(x, y) = __nv_fmod;
}
