//! The errors of the host side.

/// A thread of a launch panicked: the launch failed, and what it wrote is unspecified.
///
/// Of several threads that panicked in one launch this is the first in the order of block and thread.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel `{kernel}` (launch {launch}) panicked at {file}:{line}:{column} in thread {thread:?} of block {block:?}: {message}"
)]
#[non_exhaustive]
pub struct KernelPanic {
    /// Name of the kernel.
    pub kernel: String,
    /// Number of the launch within its device.
    pub launch: u64,
    /// Source file of the panic.
    pub file: String,
    /// Line of the panic, counted from 1.
    pub line: u32,
    /// Column of the panic in characters, counted from 1.
    pub column: u32,
    /// Index of the block along x, y and z.
    pub block: [u32; 3],
    /// Index of the thread in its block along x, y and z.
    pub thread: [u32; 3],
    /// The panic's message.
    pub message: String,
}
