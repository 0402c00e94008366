/// Copies `n` floats.
///
/// # Safety
/// 1. `from` and `to` point to `n` floats on the device of the launch.
/// 2. They do not overlap.
///
/// # References
/// None.
#[cfg(feature = "raw")]
#[deprecated]
#[doc(hidden)]
#[inline]
pub(crate) unsafe fn copy(from: *const f32, to: *mut f32, n: usize) {
    todo!()
}
#[cfg(feature = "raw")]
#[doc(hidden)]
#[deprecated]
/// The kernel [`copy`](fn@copy), ready to launch: `copy::launch(&stream, grid, ..)`.
#[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
pub(crate) enum copy {}
#[cfg(feature = "raw")]
#[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
impl copy {
    /// Name, place and device code of the kernel [`copy`](fn@copy).
    pub(crate) const KERNEL: ::warpweft::__private::Kernel = {
        #[cfg(not(test))]
        let (symbol, image) = (
            "demo__raw__copy",
            ::warpweft::__image!(160u64, "/warpweft/lib.ptx"),
        );
        #[cfg(test)]
        let (symbol, image) = (
            "demo__raw__copy",
            ::warpweft::__image!(161u64, "/warpweft/lib-test.ptx"),
        );
        ::warpweft::__private::Kernel::new("copy", ::core::module_path!(), symbol, image)
    };
    /// Launches the kernel [`copy`](fn@copy) on `stream`, over the blocks and threads of `grid`.
    ///
    /// Asynchronous: returns when the launch is queued on `stream`. The kernel runs after the work that was queued there before, and its buffers are borrowed for this call only, since later uses are ordered behind it.
    ///
    /// # Errors
    /// - A grid, a block or an amount of shared memory that the device does not allow.
    /// - A buffer of another device or of a context that is gone.
    /// - Device code that the driver cannot load.
    ///
    /// A panic of the kernel is an error of the next synchronisation of the stream.
    ///
    /// # Safety
    /// 1. `from` and `to` point to `n` floats on the device of the launch.
    /// 2. They do not overlap.
    pub(crate) unsafe fn launch(
        stream: &::warpweft::Stream,
        grid: impl ::core::convert::Into<::warpweft::Grid>,
        from: <*const f32 as ::warpweft::__private::HostParam>::Host<'_>,
        to: <*mut f32 as ::warpweft::__private::HostParam>::Host<'_>,
        n: <usize as ::warpweft::__private::HostParam>::Host<'_>,
    ) -> ::warpweft::Result<()> {
        ::warpweft::__private::launch::<
            (*const f32, *mut f32, usize),
            _,
        >(
            stream,
            ::core::convert::Into::into(grid),
            &Self::KERNEL,
            (from, to, n),
            |(p0, p1, p2)| unsafe { copy(p0, p1, p2) },
        )
    }
}
