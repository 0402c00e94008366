//! Builds core for the device, once per compiler, when only its sources are there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::cache::{Cache, Key};
use crate::error::{Error, Result, io};
use crate::process;
use crate::rustc;
use crate::toolchain::{Core, TARGET, Toolchain};

/// Core takes 25 s on an ordinary machine; a loaded one gets much more.
const BUILD_LIMIT: Duration = Duration::from_secs(1200);

/// The flags of core. The processor is not among them: link-time optimisation compiles core's functions anew for
/// the processor of the crate that uses them.
const FLAGS: &[&str] = &[
    "--crate-type=rlib",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Zforce-unstable-if-unmarked",
    "--cap-lints=allow",
];

/// An empty stand-in: link-time optimisation leaves compiler_builtins out in any case, and the device layer
/// defines what device code calls of it.
const COMPILER_BUILTINS: &str =
    "#![no_std]\n#![feature(compiler_builtins)]\n#![allow(internal_features)]\n#![compiler_builtins]\n";

/// A hash of the compiler itself: what it says that it is, where it lies and when it was put there.
pub(crate) fn compiler_key(toolchain: &Toolchain) -> Key {
    let modified = toolchain.rustc.metadata().and_then(|metadata| metadata.modified()).ok();
    let age = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    let mut key = Key::new();
    key.add(&toolchain.version);
    key.add(toolchain.rustc.as_os_str().as_encoded_bytes());
    key.add(age.as_nanos().to_le_bytes());
    key
}

/// The directory to pass as `--sysroot`, or `None` for the compiler's own; builds core when the cache lacks it.
pub(crate) fn prepare(toolchain: &Toolchain, cache: &Cache) -> Result<Option<PathBuf>> {
    let sources = match &toolchain.core {
        Core::Installed => return Ok(None),
        Core::Sysroot(path) => return Ok(Some(path.clone())),
        Core::Sources(sources) => sources,
    };
    let mut key = compiler_key(toolchain);
    for flag in FLAGS {
        key.add(flag);
    }
    let name = format!("sysroot-{}-{}", toolchain.release, key.finish_short());
    cache.entry(&name, |dir| build(toolchain, sources, dir)).map(Some)
}

fn build(toolchain: &Toolchain, sources: &Path, dir: &Path) -> Result<()> {
    let lib = dir.join("lib/rustlib").join(TARGET).join("lib");
    std::fs::create_dir_all(&lib).map_err(io("create", &lib))?;
    let core = sources.join("core");
    let edition = edition(&core.join("Cargo.toml"));
    let call = |name: &str| {
        let mut command = rustc::bootstrap(toolchain);
        command.args(["--crate-name", name, "--edition", &edition, "--target", TARGET]).args(FLAGS);
        command.arg("--out-dir").arg(&lib);
        command
    };
    run(call("core").arg(core.join("src/lib.rs")), "core", toolchain)?;

    let stand_in = dir.join("compiler_builtins.rs");
    std::fs::write(&stand_in, COMPILER_BUILTINS).map_err(io("write", &stand_in))?;
    let mut command = call("compiler_builtins");
    command.arg("-Zunstable-options").arg("--extern");
    command.arg(rustc::assign("noprelude:core", &lib.join("libcore.rlib"))).arg(&stand_in);
    run(&mut command, "compiler_builtins", toolchain)
}

fn run(command: &mut Command, name: &str, toolchain: &Toolchain) -> Result<()> {
    let finished = process::run(command, BUILD_LIMIT)?;
    if finished.success {
        return Ok(());
    }
    Err(Error::Tool {
        what: format!("building `{name}` for {TARGET} with rustc {}", toolchain.release),
        message: finished.said(),
    })
}

/// The edition that the manifest of core states.
fn edition(manifest: &Path) -> String {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let stated = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "edition").then(|| value.trim().trim_matches('"').to_owned())
    });
    stated.unwrap_or_else(|| "2024".to_owned())
}
