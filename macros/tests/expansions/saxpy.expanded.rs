/// `y = a * x + y`.
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = a * x[&i] + *y;
    }
}
/// The kernel [`saxpy`](fn@saxpy), ready to launch: `saxpy::launch(&stream, grid, ..)`.
#[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
enum saxpy {}
#[allow(
    dead_code,
    deprecated,
    non_snake_case,
    unexpected_cfgs,
    clippy::too_many_arguments
)]
impl saxpy {
    /// Name, place and device code of the kernel [`saxpy`](fn@saxpy).
    const KERNEL: ::warpweft::__private::Kernel = {
        #[cfg(all(not(sim), not(test)))]
        let (symbol, image) = (
            "demo__saxpy",
            ::core::option::Option::Some(
                ::warpweft::__private::Image::new(
                    160u64,
                    ::core::include_bytes!(
                        ::core::concat!(::core::env!("OUT_DIR"), "/warpweft/lib.ptx")
                    ),
                ),
            ),
        );
        #[cfg(all(not(sim), test))]
        let (symbol, image) = (
            "demo__saxpy",
            ::core::option::Option::Some(
                ::warpweft::__private::Image::new(
                    161u64,
                    ::core::include_bytes!(
                        ::core::concat!(::core::env!("OUT_DIR"),
                        "/warpweft/lib-test.ptx")
                    ),
                ),
            ),
        );
        #[cfg(sim)]
        let (symbol, image) = ("", ::core::option::Option::None);
        ::warpweft::__private::Kernel::new(
            "saxpy",
            ::core::module_path!(),
            symbol,
            image,
        )
    };
    /// Launches the kernel [`saxpy`](fn@saxpy) on `stream`, over the blocks and threads of `grid`.
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
        a: <f32 as ::warpweft::__private::HostParam>::Host<'_>,
        x: <&[f32] as ::warpweft::__private::HostParam>::Host<'_>,
        y: <DisjointSlice<f32> as ::warpweft::__private::HostParam>::Host<'_>,
    ) -> ::warpweft::Result<()> {
        ::warpweft::__private::launch::<
            (f32, &[f32], DisjointSlice<f32>),
            _,
        >(
            stream,
            ::core::convert::Into::into(grid),
            &Self::KERNEL,
            (a, x, y),
            |(p0, p1, p2)| saxpy(p0, p1, p2),
        )
    }
}
