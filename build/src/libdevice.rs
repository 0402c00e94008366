//! Finds NVIDIA's library of mathematical functions for the device.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const FILE: &str = "libdevice.10.bc";

/// The variables that decide what [`find`] finds.
pub(crate) const VARIABLES: &[&str] =
    &["WARPWEFT_LIBDEVICE", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV"];

/// Finds `libdevice.10.bc`: the file that `WARPWEFT_LIBDEVICE` names (`none` means that there is none), or else
/// that of the CUDA toolkit or of a Python wheel, the newest first.
///
/// Without it, device code uses the crate `libm`.
///
/// # Errors
/// [`Error::Setting`] when `WARPWEFT_LIBDEVICE` names no file.
pub fn find() -> Result<Option<PathBuf>> {
    if let Some(path) = set("WARPWEFT_LIBDEVICE") {
        return named(path);
    }
    let mut files: Vec<PathBuf> =
        toolkits().iter().map(|kit| kit.join("nvvm/libdevice").join(FILE)).collect();
    files.push(Path::new("/usr/lib/nvidia-cuda-toolkit/libdevice").join(FILE));
    Ok(files.into_iter().find(|file| file.is_file()))
}

fn named(path: PathBuf) -> Result<Option<PathBuf>> {
    if path.as_os_str() == "none" {
        return Ok(None);
    }
    let file = if path.is_dir() { path.join(FILE) } else { path.clone() };
    if file.is_file() {
        return Ok(Some(file));
    }
    Err(Error::Setting {
        setting: "WARPWEFT_LIBDEVICE".to_owned(),
        value: path.display().to_string(),
        reason: format!("there is no such file; name {FILE} or its directory, or `none` to do without"),
    })
}

/// The places where a CUDA toolkit, or a Python wheel with parts of it, may lie.
pub(crate) fn toolkits() -> Vec<PathBuf> {
    let mut toolkits: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"].into_iter().filter_map(set).collect();
    toolkits.push("/usr/local/cuda".into());
    toolkits.extend(children(Path::new("/usr/local"), |name| name.starts_with("cuda-")));
    toolkits.extend(["/opt/cuda".into(), "/usr/lib/cuda".into()]);

    let mut libraries: Vec<PathBuf> = Vec::new();
    libraries.extend(set("VIRTUAL_ENV").map(|prefix| prefix.join("lib")));
    if let Some(home) = set("HOME") {
        libraries.push(home.join(".local/lib"));
        libraries.extend(
            children(&home.join(".pyenv/versions"), |_| true).iter().map(|python| python.join("lib")),
        );
    }
    libraries.extend(["/usr/local/lib".into(), "/usr/lib".into()]);
    for library in libraries {
        for python in children(&library, |name| name.starts_with("python3")) {
            for packages in ["site-packages/nvidia", "dist-packages/nvidia"] {
                toolkits.extend(children(&python.join(packages), |name| name.starts_with("cu")));
            }
        }
    }
    toolkits
}

fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The directories in `dir` whose name fits, the highest name first (`cuda-13.0` before `cuda-12.9`).
fn children(dir: &Path, fits: fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        dir.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.file_name().is_some_and(|name| fits(&name.to_string_lossy())));
    found.sort_by_key(|path| std::cmp::Reverse(version(path)));
    found
}

/// The numbers in a name, so that 3.9 comes before 3.13.
fn version(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_must_be_there() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(named("none".into()).unwrap(), None);
        assert!(named(dir.path().join("x.bc")).unwrap_err().to_string().contains("WARPWEFT_LIBDEVICE is `"));
        std::fs::write(dir.path().join(FILE), "").unwrap();
        assert_eq!(named(dir.path().to_owned()).unwrap(), Some(dir.path().join(FILE)));
    }

    #[test]
    fn the_newest_toolkit_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["cuda-12.9", "cuda-13.0", "cuda-12.10", "other"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let found = children(dir.path(), |name| name.starts_with("cuda-"));
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["cuda-13.0", "cuda-12.10", "cuda-12.9"]);
    }
}
