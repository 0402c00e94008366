//! What can go wrong in an example.

use std::path::PathBuf;
use std::process::ExitCode;

/// What can go wrong in an example.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A device, a buffer or a launch.
    #[error(transparent)]
    Device(#[from] warpweft::Error),
    /// A picture that cannot be opened.
    #[error("cannot open the picture `{}`: {source}", path.display())]
    Open {
        /// The picture's file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that is no picture, or a damaged one.
    #[error("cannot read `{}` as a picture: {}; PNG and JPEG are understood", path.display(), one_line(source))]
    Decode {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        source: image::ImageError,
    },
    /// A picture without a pixel, or with more than the examples take.
    #[error("the picture `{}` has {width} x {height} pixels; from 1 to {limit} pixels in all are possible", path.display())]
    Size {
        /// The picture's file.
        path: PathBuf,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// The most pixels a picture may have.
        limit: u64,
    },
    /// A result that cannot be written. Nothing is left of it.
    #[error("cannot write `{}`: {}; nothing was written", path.display(), one_line(source))]
    Write {
        /// The result's file.
        path: PathBuf,
        /// What the system or the encoder said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A directory for results that is a file.
    #[error("`{}` is a file, not a directory", path.display())]
    NotDirectory {
        /// The file.
        path: PathBuf,
    },
    /// A directory for results that cannot be made, or in which no file can be made.
    #[error("cannot write to the directory `{}`: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A result that differs from the CPU reference.
    #[error(
        "{what}: {wrong} of {total} values differ from the CPU reference; the first at {first}: {got}, expected {expected}"
    )]
    Verify {
        /// The result.
        what: &'static str,
        /// How many values differ.
        wrong: usize,
        /// How many values there are.
        total: usize,
        /// Index of the first that differs.
        first: usize,
        /// Its value.
        got: String,
        /// The reference's value.
        expected: String,
    },
    /// An option with a value that makes no sense.
    #[error("--{option} is {value}: {reason}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An option whose number is out of range, or no number.
    #[error("--{option} is {value}: it must be greater than {above} and at most {limit}")]
    Range {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f32,
        /// What it must exceed.
        above: f32,
        /// The greatest possible value.
        limit: f32,
    },
}

/// What another library says, on one line: some decoders put a list of reasons in many.
fn one_line(source: &dyn std::fmt::Display) -> String {
    let text = source.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// The result of a step of an example.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Ends a program: prints the error, if there is one, as a sentence.
pub fn exit(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
