//! The limits of the device that the simulator stands for.

/// What a launch may ask of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Largest grid, in blocks, along x, y and z.
    pub grid: [u32; 3],
    /// Largest block, in threads, along x, y and z.
    pub block: [u32; 3],
    /// Most threads in one block, over all three axes.
    pub block_threads: u32,
    /// Shared memory of one block without opting in, in bytes.
    pub shared_bytes: usize,
    /// Shared memory of one block that has opted in, in bytes.
    pub shared_bytes_opt_in: usize,
    /// Shared memory of one multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: usize,
    /// Constant memory of a module, in bytes.
    pub constant_bytes: usize,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Threads that one multiprocessor holds at a time.
    pub threads_per_multiprocessor: u32,
    /// Blocks that one multiprocessor holds at a time.
    pub blocks_per_multiprocessor: u32,
    /// Lanes of a warp.
    pub warp_size: u32,
}

/// Returns the limits of `sm_90` (an H200), which the simulator keeps.
///
/// # References
/// CUDA C++ Programming Guide, "Compute Capabilities", table of technical specifications.
pub(crate) const fn limits() -> Limits {
    Limits {
        compute_capability: (9, 0),
        grid: [0x7fff_ffff, 65_535, 65_535],
        block: [1024, 1024, 64],
        block_threads: 1024,
        shared_bytes: 48 << 10,
        shared_bytes_opt_in: 227 << 10,
        shared_bytes_per_multiprocessor: 228 << 10,
        constant_bytes: 64 << 10,
        multiprocessors: 132,
        threads_per_multiprocessor: 2048,
        blocks_per_multiprocessor: 32,
        warp_size: 32,
    }
}
