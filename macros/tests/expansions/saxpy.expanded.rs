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
#[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
impl saxpy {
    /// Name, place and device code of the kernel [`saxpy`](fn@saxpy).
    const KERNEL: ::warpweft::__private::Kernel = {
        #[cfg(not(test))]
        let (symbol, image) = (
            "demo__saxpy",
            ::warpweft::__image!(160u64, "/warpweft/lib.ptx"),
        );
        #[cfg(test)]
        let (symbol, image) = (
            "demo__saxpy",
            ::warpweft::__image!(161u64, "/warpweft/lib-test.ptx"),
        );
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
