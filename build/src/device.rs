//! Compiles the device layer: the crate `warpweft` as kernels see it, with its bitcode.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive;
use crate::cache::Cache;
use crate::error::{Error, Result, io};
use crate::libdevice;
use crate::package;
use crate::rustc::{self, Compiler};

/// Where the parts of the device layer lie.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// `lib.rs` of the crate `warpweft`.
    pub root: PathBuf,
    /// Its bitcode.
    pub bitcode: PathBuf,
    /// How to ask for the source of `libm`: cargo and the directory of the package.
    pub cargo: PathBuf,
    pub manifest_dir: PathBuf,
    pub workspace_root: PathBuf,
}

/// The compiled device layer.
#[derive(Debug, Clone)]
pub(crate) struct DeviceLayer {
    /// Holds `libwarpweft.rlib`.
    pub dir: PathBuf,
    /// Holds `liblibm.rlib`, when libdevice was not found.
    pub libm: Option<PathBuf>,
    /// The files that went into it.
    pub files: Vec<PathBuf>,
    /// Changes with everything that went into it.
    pub key: String,
}

impl DeviceLayer {
    /// Returns the device layer, compiling it when the cache lacks it.
    pub fn prepare(compiler: &Compiler, sources: &Sources, cache: &Cache) -> Result<Self> {
        let src = sources.root.parent().unwrap_or(Path::new("."));
        let mut key = compiler.key();
        for file in rust_files(src)? {
            key.add_file(&file)?;
        }
        key.add_file(&sources.bitcode)?;
        let libdevice = libdevice::find()?;
        let libm = match &libdevice {
            Some(path) => {
                key.add_file(path)?;
                None
            }
            None => Some(prepare_libm(compiler, sources, cache)?),
        };
        if let Some(libm) = &libm {
            key.add(libm.as_os_str().as_encoded_bytes());
        }
        let key = key.finish();
        let dir = cache.entry(&format!("device-{key}"), |dir| {
            archive::write(dir, "warpweft_bitcode", &sources.bitcode)?;
            let mut command = compiler.command("warpweft", "2024");
            command.args(["--crate-type=rlib", "--emit=link,dep-info"]).arg("--out-dir").arg(dir);
            command.arg("-L").arg(rustc::assign("native", dir));
            command.arg("--remap-path-prefix").arg(remap(src, Path::new("warpweft/src")));
            if let Some(path) = &libdevice {
                archive::write(dir, "warpweft_libdevice", path)?;
                command.args(["--cfg", "warpweft_libdevice"]);
            }
            if let Some(libm) = &libm {
                command.arg("--extern").arg(rustc::assign("libm", &libm.join("liblibm.rlib")));
            }
            rustc::compile(command.arg(&sources.root))?.expect("compiling Warpweft's device layer")
        })?;
        let dep_info = dir.join("warpweft.d");
        let listed = std::fs::read_to_string(&dep_info).map_err(io("read", &dep_info))?;
        let mut files = prerequisites(&listed);
        files.push(sources.bitcode.clone());
        files.extend(libdevice);
        Ok(DeviceLayer { dir, libm, files, key })
    }

    /// Lets a call of the compiler use the device layer.
    pub fn add_to(&self, command: &mut Command) {
        command.arg("--extern").arg(rustc::assign("warpweft", &self.dir.join("libwarpweft.rlib")));
        // An extern crate's own dependencies are looked for in directories only.
        command.arg("-L").arg(rustc::assign("dependency", &self.dir));
        if let Some(libm) = &self.libm {
            command.arg("-L").arg(rustc::assign("dependency", libm));
        }
    }
}

/// Compiles `libm` for the device from the source that cargo fetched for the package.
fn prepare_libm(compiler: &Compiler, sources: &Sources, cache: &Cache) -> Result<PathBuf> {
    let found =
        package::dependency_source(&sources.cargo, &sources.manifest_dir, &sources.workspace_root, "libm");
    let (root, edition) = found.ok_or_else(|| Error::Tool {
        what: "finding the device's mathematical functions".to_owned(),
        message: "neither libdevice.10.bc nor the source of the crate `libm` is here: install the CUDA toolkit, set \
                  WARPWEFT_LIBDEVICE to the file, or run `cargo fetch`"
            .to_owned(),
    })?;
    let src = root.parent().unwrap_or(Path::new("."));
    let mut key = compiler.key();
    for file in rust_files(src)? {
        key.add_file(&file)?;
    }
    cache.entry(&format!("libm-{}", key.finish()), |dir| {
        let mut command = compiler.command("libm", &edition);
        command.args(["--crate-type=rlib", "--cfg", "optimizations_enabled"]).arg("--out-dir").arg(dir);
        command.arg("--remap-path-prefix").arg(remap(src, Path::new("libm/src")));
        rustc::compile(command.arg(&root))?.expect("compiling the crate libm for the device")
    })
}

/// `FROM=TO` for `--remap-path-prefix`.
pub(crate) fn remap(from: &Path, to: &Path) -> std::ffi::OsString {
    let mut argument = from.as_os_str().to_owned();
    argument.push("=");
    argument.push(to);
    argument
}

/// All `.rs` files below a directory, in the order of their names.
fn rust_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in dir.read_dir().map_err(io("read", &dir))? {
            let path = entry.map_err(io("read", &dir))?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The files that a dep-info file names as prerequisites; blanks in names are escaped.
fn prerequisites(dep_info: &str) -> Vec<PathBuf> {
    let Some(line) = dep_info.lines().find(|line| line.contains(".rlib:")) else { return Vec::new() };
    let Some((_, names)) = line.split_once(".rlib:") else { return Vec::new() };
    let mut files = Vec::new();
    let mut name = String::new();
    let mut chars = names.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&' ') => name.extend(chars.next()),
            ' ' if name.is_empty() => {}
            ' ' => files.push(PathBuf::from(std::mem::take(&mut name))),
            other => name.push(other),
        }
    }
    if !name.is_empty() {
        files.push(name.into());
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dep_info_names_may_hold_blanks() {
        let text = "/c/warpweft.d: /a\\ b/lib.rs /a\\ b/x.rs\n\n/c/libwarpweft.rlib: /a\\ b/lib.rs /a\\ b/x.rs\n\n/a\\ b/lib.rs:\n";
        assert_eq!(prerequisites(text), [PathBuf::from("/a b/lib.rs"), "/a b/x.rs".into()]);
    }
}
