//! Stock kernels, one file each: what it does, the kernel, a launch helper, a reference in plain Rust, tests.
//!
//! The tests of every file run on the simulator and on the GPU, if there is one.

pub mod histogram;
pub mod matmul;
pub mod reduce;
pub mod saxpy;
pub mod transpose;
