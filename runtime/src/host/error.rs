//! What can go wrong on the host side, one variant per fault.

/// The result of a host call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A fault of a host call: what it concerns, its value, the limit it broke, and what to do about it.
///
/// `{:?}` prints the same text as `{}`, since that is what `unwrap` and a `main` that returns an error show.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This program was built with `--cfg sim` and holds no CUDA code.
    #[error(
        "CUDA device {ordinal} was asked for, but this program was built with `--cfg sim`, which leaves CUDA out; \
         build without it, or use Device::any() or Device::sim()"
    )]
    BuiltForSimulator {
        /// The device asked for.
        ordinal: usize,
    },
    /// The CUDA driver library could not be loaded or started.
    #[error("no usable CUDA driver: {reason}; install the NVIDIA driver, or use Device::sim()")]
    NoDriver {
        /// What the loader or the driver said.
        reason: String,
        /// The driver library, where there is none on this machine.
        missing: Option<&'static str>,
    },
    /// There is no CUDA device with this number.
    #[error(
        "there is no CUDA device {ordinal}: the driver sees {count}; see CUDA_VISIBLE_DEVICES, or use Device::sim()"
    )]
    NoDevice {
        /// The device asked for, counted from 0.
        ordinal: usize,
        /// How many devices the driver sees.
        count: usize,
    },
    /// The environment variable `WARPWEFT_DEVICE` could not be read as a device.
    #[error("WARPWEFT_DEVICE is `{value}`; it may be `sim`, `cuda` or `cuda:N`")]
    DeviceName {
        /// The value of the variable.
        value: String,
    },
    /// The object belongs to a context that is gone.
    #[error(
        "this stream, event or buffer belongs to a context of {device} that no longer exists ({cause}); \
         make a new stream with Device::stream() and upload again"
    )]
    ContextLost {
        /// The device of the context.
        device: String,
        /// How the context ended.
        cause: LostCause,
    },
    /// Two objects of different contexts met in one call.
    #[error("{what} belongs to {found}, the stream to {expected}; {}", bring_together(expected, found))]
    OtherContext {
        /// The object that does not fit, for example "parameter 2 of kernel `saxpy`".
        what: String,
        /// The stream's device and context.
        expected: String,
        /// The object's device and context.
        found: String,
    },
    /// Two lengths that must be equal are not.
    #[error(
        "{what}: the source has {source_len} elements, the destination {destination_len}; take slices of equal length"
    )]
    Length {
        /// The call.
        what: &'static str,
        /// Length of the source, in elements.
        source_len: usize,
        /// Length of the destination, in elements.
        destination_len: usize,
    },
    /// A range does not lie within a buffer.
    #[error("the range {start}..{end} does not lie within a buffer of {len} elements")]
    OutOfRange {
        /// First element of the range.
        start: usize,
        /// One past its last element.
        end: usize,
        /// Length of the buffer, in elements.
        len: usize,
    },
    /// A matrix does not lie within the buffer that it is to be taken from.
    #[error(
        "{rows} rows of {columns} columns are {} elements, but the buffer has {len}; ask for fewer, or make a larger buffer",
        *rows as u128 * *columns as u128
    )]
    GridRange {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// Length of the buffer, in elements.
        len: usize,
    },
    /// The size of a buffer in bytes does not fit into the address space.
    #[error(
        "{len} elements of {element_bytes} bytes are more than the {} bytes one buffer may have",
        isize::MAX
    )]
    SizeOverflow {
        /// Length asked for, in elements.
        len: usize,
        /// Size of one element, in bytes.
        element_bytes: usize,
    },
    /// The device has not enough memory left.
    #[error("{device} could not provide {bytes} bytes of memory; drop buffers, or work on smaller parts")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        bytes: usize,
    },
    /// A launch is larger than the device or the kernel allows.
    #[error(
        "kernel `{kernel}`: {field} is {value}, but {}; {remedy}",
        if value < limit { format!("must be at least {limit}") } else { format!("{device} allows {limit}") }
    )]
    LaunchLimit {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The quantity, for example "threads per block".
        field: &'static str,
        /// Its value in this launch.
        value: u64,
        /// The largest value allowed, or the smallest where the value is 0.
        limit: u64,
        /// What to change.
        remedy: String,
    },
    /// The kernel has no device code in this program.
    #[error(
        "kernel `{kernel}` has no device code in this program: it was built for the simulator alone; use Device::sim()"
    )]
    NoDeviceCode {
        /// The kernel.
        kernel: String,
    },
    /// The driver refused a kernel's device code.
    #[error("the driver could not load the device code of kernel `{kernel}` ({status}){}{log}", if log.is_empty() { "" } else { ":\n" })]
    Load {
        /// The kernel whose launch wanted the code.
        kernel: String,
        /// The driver's status.
        status: String,
        /// What the driver's compiler wrote.
        log: String,
    },
    /// The device code does not take the parameters that the launcher passes: build products are mixed up.
    #[error(
        "kernel `{kernel}`: the device code expects {expected}, the launcher passes {found}; run `cargo clean` and build again"
    )]
    Parameters {
        /// The kernel.
        kernel: String,
        /// The parameters in the device code.
        expected: String,
        /// The parameters of the launcher.
        found: String,
    },
    /// A thread of an earlier launch panicked. Its buffers hold unspecified values; the next launch works.
    #[error(transparent)]
    KernelPanic(Box<KernelPanic>),
    /// A kernel broke the context, for example by a wild pointer. Nothing of this context works any more.
    #[error(
        "{device} stopped with {status}, most likely in {kernel}; the context is lost, and so are its buffers: \
         run the kernel on Device::sim() to find the cause"
    )]
    DeviceFault {
        /// The device.
        device: String,
        /// The kernels in flight.
        kernel: String,
        /// The driver's status.
        status: String,
    },
    /// The process was forked after CUDA had been started, which the driver does not survive.
    #[error(
        "CUDA cannot be used in a process that was forked after CUDA was started; fork first, or start a new program"
    )]
    Forked,
    /// Any other fault of a driver call.
    #[error("{call} failed on {device}: {status}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The device.
        device: String,
        /// Its status: name, number and text.
        status: String,
    },
}

impl Error {
    /// Says why there is no GPU to run on, without the advice that suits a caller who insists on one.
    pub(crate) fn why_no_gpu(&self) -> String {
        match self {
            Self::NoDriver { missing: Some(library), .. } => format!("no NVIDIA driver found ({library})"),
            Self::NoDriver { reason, .. } => format!("no usable CUDA driver: {reason}"),
            Self::NoDevice { count: 0, .. } => "the CUDA driver sees no device".to_owned(),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// How a context ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum LostCause {
    /// `Device::reset` was called.
    #[error("Device::reset was called")]
    Reset,
    /// Other code in the process reset or released the device.
    #[error("other code in this process reset or released the device")]
    External,
    /// A kernel broke it.
    #[error("an earlier kernel broke it")]
    Fault,
}

/// A panic in a kernel, as the next synchronisation reports it: the launch failed, and what it wrote is unspecified.
///
/// Of several threads that panicked in one launch the simulator names the first in the order of block and thread, the
/// GPU the one that came first. On a GPU the launch is found by image, grid and block; where launches in flight on several
/// streams cannot be told apart, the panic is reported on each of these streams.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "kernel `{kernel}` (launch {launch}) panicked at {file}:{line}:{column} in thread {thread:?} of block {block:?}: {message}"
)]
#[non_exhaustive]
pub struct KernelPanic {
    /// Name of the kernel; several names where launches in flight on a GPU cannot be told apart.
    pub kernel: String,
    /// Number of the launch within its context, counted from 1; 0 where several launches fit.
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
    /// The panic's message, or a placeholder where it is not a plain string.
    pub message: String,
}

/// How messages name every simulated device.
pub(crate) const SIMULATOR: &str = "the simulator";

/// What to do about two objects of different contexts.
fn bring_together(expected: &str, found: &str) -> &'static str {
    if expected.starts_with(SIMULATOR) && found.starts_with(SIMULATOR) {
        "each `Device::sim()` is a device of its own: make both from one `Device` (clone it)"
    } else {
        "copy it there through the host"
    }
}

impl From<KernelPanic> for Error {
    fn from(panic: KernelPanic) -> Self {
        Self::KernelPanic(Box::new(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_for_no_gpu_is_short() {
        let missing = Error::NoDriver { reason: "a; b".to_owned(), missing: Some("libcuda.so.1") };
        assert_eq!(missing.why_no_gpu(), "no NVIDIA driver found (libcuda.so.1)");
        assert!(missing.to_string().starts_with("no usable CUDA driver: a; b;"), "{missing}");
        let broken = Error::NoDriver { reason: "cuInit said no".to_owned(), missing: None };
        assert_eq!(broken.why_no_gpu(), "no usable CUDA driver: cuInit said no");
        assert_eq!(Error::NoDevice { ordinal: 0, count: 0 }.why_no_gpu(), "the CUDA driver sees no device");
    }

    #[test]
    fn debug_prints_what_a_reader_needs() {
        let error = Error::OutOfRange { start: 1, end: 9, len: 8 };
        let text = "the range 1..9 does not lie within a buffer of 8 elements";
        assert_eq!((format!("{error:?}"), format!("{error:#?}")), (text.to_owned(), text.to_owned()));
    }
}
