//! Build-script helper of Warpweft: compiles the kernels of a package to PTX with a stock rustc.
//!
//! ```no_run
//! // build.rs
//! warpweft_build::compile();
//! ```
//!
//! [`compile`] makes the *device view* of each cargo target of the package (the same files, with everything
//! blanked that is not device code), compiles it for `nvptx64-nvidia-cuda` to one PTX image, and writes a table from
//! which the macros take entry names and errors. Errors in device code never fail the build script:
//! the macros report them at the user's own tokens, where terminal and editor show them.
//!
//! # Settings
//! | environment variable | manifest | meaning |
//! | --- | --- | --- |
//! | `WARPWEFT_ARCH` | `[package.metadata.warpweft] arch` | GPU generation, such as `sm_90`; `native` asks the driver; `sm_75` when unset |
//! | `WARPWEFT_RUSTC`, `WARPWEFT_SYSROOT` | | the device compiler, and a sysroot that holds its compiled core |
//! | `WARPWEFT_LIBDEVICE` | | `libdevice.10.bc`, or `none` |
//! | `WARPWEFT_CACHE` | | directory of the [cache] |

pub mod arch;
mod archive;
pub mod cache;
mod calls;
mod compile;
mod device;
mod error;
mod inputs;
pub mod install;
pub mod libdevice;
pub mod machine;
mod package;
mod probe;
mod process;
mod ptx;
mod rustc;
mod sysroot;
mod table;
mod target;
pub mod toolchain;
mod trim;
mod view;

pub use error::{Error, Result};

/// Compiles the kernels of the package whose build script calls it, and tells cargo what to watch.
///
/// Under `--cfg sim` and on docs.rs there is no device code, and nothing is compiled.
///
/// # Panics
/// Ends the build script with exit code 1 and a message when it is not run by cargo or when `OUT_DIR` cannot
/// be written.
pub fn compile() {
    println!("cargo::rustc-check-cfg=cfg(sim)");
    let settings =
        [toolchain::VARIABLES, cache::VARIABLES, libdevice::VARIABLES, &[arch::VARIABLE, "DOCS_RS"]];
    for name in settings.concat() {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let outcome = match inputs::Inputs::from_env().and_then(|inputs| compile::run(&inputs)) {
        Ok(outcome) => outcome,
        Err(error) => {
            println!("cargo::error=warpweft: {}", error.to_string().replace('\n', "\ncargo::error="));
            std::process::exit(1);
        }
    };
    for path in &outcome.watched {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    if outcome.again {
        // Cargo runs a build script again while a file that it names is missing.
        println!("cargo::rerun-if-changed=warpweft has no device toolchain yet");
    }
}
