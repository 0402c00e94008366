//! The functions on the CPU: std's.

/// Writes each function as the inherent method of the same name.
macro_rules! functions {
    ($t:ident) => {
        pub mod $t {
            functions!(@unary $t: sqrt cbrt sin cos tan asin acos atan sinh cosh tanh exp exp2 exp_m1 ln log2 log10 ln_1p floor ceil round trunc);
            functions!(@binary $t: powf atan2 hypot);
            #[inline(always)]
            pub fn rsqrt(x: $t) -> $t {
                1.0 / x.sqrt()
            }
            #[inline(always)]
            pub fn rem(x: $t, divisor: $t) -> $t {
                x % divisor
            }
            #[inline(always)]
            pub fn powi(x: $t, exponent: i32) -> $t {
                x.powi(exponent)
            }
            #[inline(always)]
            pub fn mul_add(x: $t, factor: $t, summand: $t) -> $t {
                x.mul_add(factor, summand)
            }
        }
    };
    (@unary $t:ident: $($name:ident)*) => { $(
        #[inline(always)]
        pub fn $name(x: $t) -> $t {
            x.$name()
        }
    )* };
    (@binary $t:ident: $($name:ident)*) => { $(
        #[inline(always)]
        pub fn $name(x: $t, y: $t) -> $t {
            x.$name(y)
        }
    )* };
}

functions!(f32);
functions!(f64);
