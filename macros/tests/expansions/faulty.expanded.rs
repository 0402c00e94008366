fn faulty() {
    helper();
}
/// The kernel [`faulty`](fn@faulty), ready to launch: `faulty::launch(&stream, grid, ..)`.
#[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
enum faulty {}
#[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
impl faulty {
    /// Name, place and device code of the kernel [`faulty`](fn@faulty).
    const KERNEL: ::warpweft::__private::Kernel = {
        #[cfg(not(test))]
        let (symbol, image) = (
            "demo__faulty",
            ::warpweft::__image!(160u64, "/warpweft/lib.ptx"),
        );
        #[cfg(test)]
        let (symbol, image) = (
            "demo__faulty",
            ::warpweft::__image!(161u64, "/warpweft/lib-test.ptx"),
        );
        ::warpweft::__private::Kernel::new(
            "faulty",
            ::core::module_path!(),
            symbol,
            image,
        )
    };
    /// Launches the kernel [`faulty`](fn@faulty) on `stream`, over the blocks and threads of `grid`.
    ///
    /// Asynchronous: returns when the launch is queued on `stream`. The kernel runs after the work that was queued there before, and its buffers are borrowed for this call only, since later uses are ordered behind it.
    ///
    /// # Errors
    /// - A grid, a block or an amount of shared memory that the device does not allow.
    /// - A buffer of another device or of a context that is gone.
    /// - Device code that the driver cannot load.
    ///
    /// A panic of the kernel is an error of the next synchronisation of the stream.
    fn launch(
        stream: &::warpweft::Stream,
        grid: impl ::core::convert::Into<::warpweft::Grid>,
    ) -> ::warpweft::Result<()> {
        ::warpweft::__private::launch::<
            (),
            _,
        >(stream, ::core::convert::Into::into(grid), &Self::KERNEL, (), |()| faulty())
    }
}
::warpweft::__device_build! {
    ::core::compile_error! { "`helper` is called from kernel `faulty`: add #[device]" }
}
#[cfg(test)]
::warpweft::__device_build! {
    ::core::compile_error! {
    "cannot find value `y`\nin this scope\n --> src/other.rs:7:1" }
}
::warpweft::__device_build! {
    #[deny(unused_must_use)] const _ : () = { #[must_use =
    "in device code: mismatched types"] const fn refused_by_the_device_compiler() -> bool
    { true } refused_by_the_device_compiler(); };
}
