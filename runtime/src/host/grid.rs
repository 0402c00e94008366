//! The shape of a launch: blocks of threads, in up to three axes.

use std::fmt;

/// Extent or position along the axes x, y and z, in threads or in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// First axis, the one that varies fastest.
    pub x: u32,
    /// Second axis.
    pub y: u32,
    /// Third axis.
    pub z: u32,
}

impl Dim3 {
    /// Makes an extent from its three axes.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// Multiplies the three axes: the number of threads or blocks that lie in this extent.
    ///
    /// The product of three 32-bit numbers may need 96 bits; it saturates at `u64::MAX`.
    pub const fn count(self) -> u64 {
        (self.x as u64).saturating_mul(self.y as u64).saturating_mul(self.z as u64)
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self::new(x, 1, 1)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self::new(x, y, 1)
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self::new(x, y, z)
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> Self {
        [x, y, z]
    }
}

/// What a grid has to cover; kept so that [`Grid::with_threads`] can compute the blocks anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Exact,
    Linear(u64),
    Plane(u64, u64),
}

/// How many blocks a launch has, and how many threads each block has.
///
/// A grid without blocks is a launch over nothing: it is checked like any other and then does nothing.
///
/// ```
/// use warpweft::Grid;
/// let grid = Grid::cover(1000);
/// assert_eq!((grid.blocks().x, grid.threads().x), (4, 256));
/// assert_eq!(grid.with_threads(100).blocks().x, 10);
/// assert_eq!(Grid::cover(0).blocks().count(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    blocks: Dim3,
    threads: Dim3,
    extent: Extent,
}

/// The most blocks that every GPU takes along the first axis is 2^31 - 1; a bigger grid is folded into rows of this
/// many blocks.
const FOLD: u64 = 1 << 30;

impl Grid {
    /// Makes a grid of `blocks` blocks with `threads` threads each.
    pub fn new(blocks: impl Into<Dim3>, threads: impl Into<Dim3>) -> Self {
        Self { blocks: blocks.into(), threads: threads.into(), extent: Extent::Exact }
    }

    /// Makes the smallest grid of 256-thread blocks that has at least `n` threads; without any block when `n` is 0.
    ///
    /// More than 2^31 - 1 blocks do not fit on the first axis and are spread over the second one as well, which a
    /// kernel that asks for its flat index does not notice.
    pub fn cover(n: usize) -> Self {
        Self { blocks: Dim3::new(0, 1, 1), threads: Dim3::new(256, 1, 1), extent: Extent::Linear(n as u64) }
            .fit()
    }

    /// Makes the smallest grid of 32 by 8 thread blocks that covers `width` columns (axis x) and `height` rows
    /// (axis y).
    pub fn cover_2d(width: usize, height: usize) -> Self {
        let extent = Extent::Plane(width as u64, height as u64);
        Self { blocks: Dim3::new(0, 0, 1), threads: Dim3::new(32, 8, 1), extent }.fit()
    }

    /// Changes the threads of a block. A grid made by [`cover`](Self::cover) or [`cover_2d`](Self::cover_2d) still
    /// covers as much; one made by [`new`](Self::new) keeps its blocks.
    pub fn with_threads(mut self, threads: impl Into<Dim3>) -> Self {
        self.threads = threads.into();
        self.fit()
    }

    /// Returns the extent of the grid, in blocks.
    pub fn blocks(&self) -> Dim3 {
        self.blocks
    }

    /// Returns the extent of each block, in threads.
    pub fn threads(&self) -> Dim3 {
        self.threads
    }

    fn fit(mut self) -> Self {
        // A block of no threads is refused at the launch; here it must only not divide by zero.
        self.blocks = match self.extent {
            Extent::Exact => self.blocks,
            Extent::Linear(n) => match n.div_ceil(self.threads.count().max(1)) {
                0 => Dim3::new(0, 1, 1),
                blocks if blocks < 1 << 31 => Dim3::new(blocks as u32, 1, 1),
                blocks => Dim3::new(FOLD as u32, clamp(blocks.div_ceil(FOLD)), 1),
            },
            Extent::Plane(width, height) => Dim3::new(
                clamp(width.div_ceil(u64::from(self.threads.x).max(1))),
                clamp(height.div_ceil(u64::from(self.threads.y).max(1))),
                1,
            ),
        };
        self
    }
}

/// An extent beyond 32 bits becomes the largest one, which the check against the device's limits then refuses.
fn clamp(blocks: u64) -> u32 {
    u32::try_from(blocks).unwrap_or(u32::MAX)
}

impl<B: Into<Dim3>, T: Into<Dim3>> From<(B, T)> for Grid {
    /// Reads `(blocks, threads)`.
    fn from((blocks, threads): (B, T)) -> Self {
        Self::new(blocks, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_has_enough_threads_and_not_a_block_too_many() {
        for n in [1_u64, 255, 256, 257, 1 << 20, (1 << 39) - 256, 1 << 39, (1 << 39) + 1, 1 << 50] {
            let grid = Grid::cover(n as usize);
            let threads = grid.blocks().count() * grid.threads().count();
            assert!(threads >= n, "{n}: {grid:?}");
            assert!(grid.blocks().x < 1 << 31 && grid.blocks().y <= 65_535, "{n}: {grid:?}");
            assert!(threads - n < FOLD * 256, "{n}: {grid:?}");
            assert!(grid.blocks().y > 1 || threads - n < 256, "{n}: {grid:?}");
        }
    }

    #[test]
    fn with_threads_covers_anew_or_keeps_the_blocks() {
        assert_eq!(Grid::cover(1000).with_threads((16, 4)).blocks(), Dim3::new(16, 1, 1));
        assert_eq!(Grid::cover_2d(65, 9).blocks(), Dim3::new(3, 2, 1));
        assert_eq!(Grid::cover_2d(65, 9).with_threads((16, 16)).blocks(), Dim3::new(5, 1, 1));
        assert_eq!(Grid::new(7, 32).with_threads(64).blocks(), Dim3::new(7, 1, 1));
        assert_eq!(Grid::cover(10).with_threads(0).threads().count(), 0);
        assert_eq!(Grid::from((2, (3, 4))), Grid::new(2, (3, 4, 1)));
    }

    #[test]
    fn nothing_to_cover_is_no_block() {
        assert_eq!(Grid::cover(0).blocks().count(), 0);
        assert_eq!(Grid::cover_2d(0, 5).blocks().count(), 0);
        assert_eq!(Grid::cover_2d(5, 0).with_threads(8).blocks().count(), 0);
    }
}
