/// Parameters that have no name, and two that would hide the launcher's own.
#[allow(unused_variables)]
fn patterns<'a>(
    Pair { x, y }: Pair,
    _: u32,
    grid: &'a [f32],
    stream: f32,
    patterns: f32,
    tile: Shared<[f32]>,
)
where
    f32: Copy,
{}
/// The kernel [`patterns`](fn@patterns), ready to launch: `patterns::launch(&stream, grid, ..)`.
#[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
enum patterns {}
#[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
impl patterns {
    /// Name, place and device code of the kernel [`patterns`](fn@patterns).
    const KERNEL: ::warpweft::__private::Kernel = {
        #[cfg(not(test))]
        let (symbol, image) = (
            "demo__patterns",
            ::warpweft::__image!(160u64, "/warpweft/lib.ptx"),
        );
        #[cfg(test)]
        let (symbol, image) = ("", ::core::option::Option::None);
        ::warpweft::__private::Kernel::new(
            "patterns",
            ::core::module_path!(),
            symbol,
            image,
        )
    };
    /// Launches the kernel [`patterns`](fn@patterns) on `stream`, over the blocks and threads of `grid`.
    ///
    /// Asynchronous: returns when the launch is queued on `stream`. The kernel runs after the work that was queued there before, and its buffers are borrowed for this call only, since later uses are ordered behind it.
    ///
    /// # Errors
    /// - A grid, a block or an amount of shared memory that the device does not allow.
    /// - A buffer of another device or of a context that is gone.
    /// - Device code that the driver cannot load.
    ///
    /// A panic of the kernel is an error of the next synchronisation of the stream.
    fn launch<'a>(
        stream: &::warpweft::Stream,
        grid: impl ::core::convert::Into<::warpweft::Grid>,
        arg0: <Pair as ::warpweft::__private::HostParam>::Host<'_>,
        arg1: <u32 as ::warpweft::__private::HostParam>::Host<'_>,
        grid: <&'a [f32] as ::warpweft::__private::HostParam>::Host<'_>,
        stream: <f32 as ::warpweft::__private::HostParam>::Host<'_>,
        patterns: <f32 as ::warpweft::__private::HostParam>::Host<'_>,
        tile: <Shared<[f32]> as ::warpweft::__private::HostParam>::Host<'_>,
    ) -> ::warpweft::Result<()>
    where
        f32: Copy,
    {
        ::warpweft::__private::launch::<
            (Pair, u32, &'a [f32], f32, f32, Shared<[f32]>),
            _,
        >(
            stream,
            ::core::convert::Into::into(grid),
            &Self::KERNEL,
            (arg0, arg1, grid, stream, patterns, tile),
            |(p0, p1, p2, p3, p4, p5)| patterns(p0, p1, p2, p3, p4, p5),
        )
    }
}
#[cfg(test)]
::warpweft::__device_build! {
    ::core::compile_error! {
    "kernel `patterns` was not compiled for the GPU: the build helper did not see it, since it is made by a macro or `include!`, or stands inside a function; write it as an ordinary function of a module"
    }
}
