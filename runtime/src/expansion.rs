//! What the output of the attribute macros calls where device and simulator builds differ: here `cfg(sim)` is that
//! of this crate's own build. (In a user's crate it is unknown to the lint where there is no build script, and to
//! rustdoc where only RUSTFLAGS has it.)

/// Keeps the tokens in builds that have device code.
#[cfg(not(sim))]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_build {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Keeps the tokens in builds that have device code: this one has none.
#[cfg(sim)]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_build {
    ($($tokens:tt)*) => {};
}

/// Makes an `Option<Image>` of an image that the build helper left in the user's `OUT_DIR`.
#[cfg(not(sim))]
#[doc(hidden)]
#[macro_export]
macro_rules! __image {
    ($id:literal, $path:literal) => {
        ::core::option::Option::Some($crate::__private::Image::new(
            $id,
            ::core::include_bytes!(::core::concat!(::core::env!("OUT_DIR"), $path)),
        ))
    };
}

/// Makes an `Option<Image>`: none, in a build for the simulator alone.
#[cfg(sim)]
#[doc(hidden)]
#[macro_export]
macro_rules! __image {
    ($id:literal, $path:literal) => {
        ::core::option::Option::None
    };
}
