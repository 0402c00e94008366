//! A package with kernels in every kind of target, some of equal name and place.
//!
//! ```
//! use warpweft::prelude::*;
//!
//! #[kernel]
//! fn in_example(mut y: DisjointSlice<u32>) {
//!     if let Some(y) = y.get_mut(&thread::index()) {
//!         *y = 70;
//!     }
//! }
//!
//! let stream = Device::sim().stream().unwrap();
//! let mut y = stream.zeros(2).unwrap();
//! in_example::launch(&stream, Grid::cover(2), &mut y).unwrap();
//! assert_eq!(stream.download(&y).unwrap(), [70, 70]);
//! ```

use warpweft::prelude::*;

mod other;

/// Which of the package's kernels ran, by number.
#[kernel]
pub fn number(mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 10 + addend();
    }
}

#[device]
fn addend() -> u32 {
    if cfg!(test) { 5 } else { 0 }
}

/// Launches a kernel and returns what it wrote.
///
/// # Errors
/// As the launcher.
pub fn run(
    device: &Device,
    launch: impl FnOnce(&Stream, &mut Buffer<u32>) -> warpweft::Result<()>,
) -> warpweft::Result<Vec<u32>> {
    let stream = device.stream()?;
    let mut y = stream.zeros(2)?;
    launch(&stream, &mut y)?;
    stream.download(&y)
}

/// The number of the library's kernel.
///
/// # Errors
/// As the launcher.
pub fn of_library(device: &Device) -> warpweft::Result<Vec<u32>> {
    run(device, |stream, y| number::launch(stream, Grid::cover(2), y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[kernel]
    fn only_in_tests(mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(&thread::index()) {
            *y = 20;
        }
    }

    #[warpweft::test]
    fn kernels_of_tests(device: &Device) -> warpweft::Result<()> {
        assert_eq!(run(device, |stream, y| only_in_tests::launch(stream, Grid::cover(2), y))?, [20, 20]);
        Ok(())
    }

    #[warpweft::test]
    fn kernels_see_cfg_test(device: &Device) -> warpweft::Result<()> {
        assert_eq!(of_library(device)?, [15, 15]);
        assert_eq!(other::of_module(device)?, [30, 30]);
        Ok(())
    }

    #[test]
    fn each_has_its_image() {
        assert_eq!(super::number::KERNEL.image().is_some(), cfg!(not(sim)));
        assert_eq!(only_in_tests::KERNEL.image().is_some(), cfg!(not(sim)));
    }
}
