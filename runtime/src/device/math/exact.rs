//! The functions that the GPU computes exactly, and `rsqrt`: single instructions, by LLVM's intrinsics.
//!
//! `__nv_sqrtf` of libdevice would become `sqrt.approx`, and `libm`'s functions would take their floats apart.

macro_rules! functions {
    ($t:ident: $($name:ident($($argument:ident),+) = $link:literal;)*) => {
        pub mod $t {
            $(
                #[inline(always)]
                pub fn $name($($argument: $t),+) -> $t {
                    unsafe extern "C" {
                        #[link_name = $link]
                        safe fn intrinsic($($argument: $t),+) -> $t;
                    }
                    intrinsic($($argument),+)
                }
            )*
        }
    };
}

functions! { f32:
    sqrt(x) = "llvm.nvvm.sqrt.rn.f";
    rsqrt(x) = "llvm.nvvm.rsqrt.approx.f";
    floor(x) = "llvm.floor.f32";
    ceil(x) = "llvm.ceil.f32";
    round(x) = "llvm.round.f32";
    trunc(x) = "llvm.trunc.f32";
    mul_add(x, y, z) = "llvm.fma.f32";
}
functions! { f64:
    sqrt(x) = "llvm.nvvm.sqrt.rn.d";
    rsqrt(x) = "llvm.nvvm.rsqrt.approx.d";
    floor(x) = "llvm.floor.f64";
    ceil(x) = "llvm.ceil.f64";
    round(x) = "llvm.round.f64";
    trunc(x) = "llvm.trunc.f64";
    mul_add(x, y, z) = "llvm.fma.f64";
}
