/// Copies `n` floats.
///
/// # Safety
/// 1. `from` and `to` point to `n` floats on the device of the launch.
/// 2. They do not overlap.
///
/// # References
/// None.
#[kernel]
#[cfg(feature = "raw")]
#[deprecated]
#[doc(hidden)]
#[inline]
pub(crate) unsafe fn copy(from: *const f32, to: *mut f32, n: usize) {
    todo!()
}
