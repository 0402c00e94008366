pub fn empty() {}
/// The kernel [`empty`](fn@empty), ready to launch: `empty::launch(&stream, grid, ..)`.
#[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
pub enum empty {}
#[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
impl empty {
    /// Name, place and device code of the kernel [`empty`](fn@empty).
    pub const KERNEL: ::warpweft::__private::Kernel = {
        let (symbol, image) = ("", ::core::option::Option::None);
        ::warpweft::__private::Kernel::new(
            "empty",
            ::core::module_path!(),
            symbol,
            image,
        )
    };
    /// Launches the kernel [`empty`](fn@empty) on `stream`, over the blocks and threads of `grid`.
    ///
    /// Asynchronous: returns when the launch is queued on `stream`. The kernel runs after the work that was queued there before, and its buffers are borrowed for this call only, since later uses are ordered behind it.
    ///
    /// # Errors
    /// - A grid, a block or an amount of shared memory that the device does not allow.
    /// - A buffer of another device or of a context that is gone.
    /// - Device code that the driver cannot load.
    ///
    /// A panic of the kernel is an error of the next synchronisation of the stream.
    pub fn launch(
        stream: &::warpweft::Stream,
        grid: impl ::core::convert::Into<::warpweft::Grid>,
    ) -> ::warpweft::Result<()> {
        ::warpweft::__private::launch::<
            (),
            _,
        >(stream, ::core::convert::Into::into(grid), &Self::KERNEL, (), |()| empty())
    }
}
::warpweft::__device_build! {
    ::core::compile_error! {
    "kernel `empty` was not compiled for the GPU: the build helper did not see it, since it is made by a macro or `include!`, or stands inside a function; write it as an ordinary function of a module"
    }
}
