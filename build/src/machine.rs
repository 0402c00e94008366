//! What a machine has beside the toolchain: GPUs and NVIDIA's tools.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::libdevice;
use crate::process;

/// `nvidia-smi` takes seconds where it has to wake the driver first.
const LIMIT: Duration = Duration::from_secs(60);

/// One GPU, as `nvidia-smi` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gpu {
    /// The product's name.
    pub name: String,
    /// The version of the kernel driver.
    pub driver: String,
    /// The generation, such as `sm_90`.
    pub arch: String,
    /// Device memory in MiB.
    pub memory_mib: u64,
}

/// Lists the GPUs of this machine.
///
/// # Errors
/// [`Error::Spawn`] without `nvidia-smi`; [`Error::Tool`] when it finds no GPU or no driver.
pub fn gpus() -> Result<Vec<Gpu>> {
    let mut command = process::clean("nvidia-smi");
    command
        .args(["--query-gpu=name,driver_version,compute_cap,memory.total", "--format=csv,noheader,nounits"]);
    let finished = process::run(&mut command, LIMIT)?;
    let gpus: Vec<Gpu> = finished.stdout.lines().filter_map(gpu).collect();
    if finished.success && !gpus.is_empty() {
        return Ok(gpus);
    }
    Err(Error::Tool { what: "`nvidia-smi`".to_owned(), message: finished.said().trim().to_owned() })
}

fn gpu(line: &str) -> Option<Gpu> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [name, driver, capability, memory] = fields.as_slice() else { return None };
    Some(Gpu {
        name: (*name).to_owned(),
        driver: (*driver).to_owned(),
        arch: format!("sm_{}", capability.replace('.', "")),
        memory_mib: memory.parse().ok()?,
    })
}

/// Finds a program of the CUDA toolkit, such as `ptxas`: in `PATH`, in a toolkit, or in a Python wheel.
pub fn cuda_tool(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).collect::<Vec<_>>();
    let in_toolkits = libdevice::toolkits().into_iter().map(|kit| kit.join("bin"));
    in_path.into_iter().chain(in_toolkits).map(|dir| dir.join(&file)).find(|path| path.is_file())
}

/// The version in what a CUDA tool prints for `--version`.
pub fn cuda_tool_version(tool: &Path) -> Option<String> {
    let said = process::run(process::clean(tool).arg("--version"), LIMIT).ok()?.stdout;
    let line = said.lines().find(|line| line.contains("release"))?;
    line.split_once("release ").map(|(_, rest)| rest.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_nvidia_smi_is_a_gpu() {
        let found = gpu("NVIDIA H200, 580.159.03, 9.0, 143771").unwrap();
        assert_eq!(
            found,
            Gpu {
                name: "NVIDIA H200".into(),
                driver: "580.159.03".into(),
                arch: "sm_90".into(),
                memory_mib: 143_771
            }
        );
        assert_eq!(gpu("NVIDIA-SMI has failed because it couldn't communicate with the driver"), None);
    }
}
