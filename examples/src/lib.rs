//! What the examples share beside their kernels: the choice of a device, pictures in files, and comparison with a
//! CPU reference.

mod choice;
mod error;
mod picture;
mod verify;

pub use choice::{Choice, Common};
pub use error::{Error, Result, exit};
pub use picture::{MAX_PIXELS, output_directory, read_rgba, write_png};
pub use verify::{all_close, all_equal};
