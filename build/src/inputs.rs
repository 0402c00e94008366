//! What cargo tells a build script, as far as the device build needs it.

use std::path::PathBuf;

use crate::error::{Error, Result};

/// The inputs of one device build.
#[derive(Debug, Clone)]
pub(crate) struct Inputs {
    pub out_dir: PathBuf,
    pub manifest_dir: PathBuf,
    pub cargo: PathBuf,
    pub features: Vec<String>,
    /// `--cfg` arguments of the user's own RUSTFLAGS.
    pub cfgs: Vec<String>,
    /// Debug assertions and overflow checks of the outer profile.
    pub checks: bool,
    pub sim: bool,
    pub docs: bool,
    /// `WARPWEFT_ARCH`.
    pub arch: Option<String>,
    /// `DEP_WARPWEFT_DEVICE_ROOT` and `DEP_WARPWEFT_BITCODE`.
    pub device_root: Option<PathBuf>,
    pub bitcode: Option<PathBuf>,
    /// How many compilers may run at once.
    pub jobs: usize,
    /// What `env!` may ask for in device code.
    pub package_env: Vec<(String, String)>,
}

impl Inputs {
    pub fn from_env() -> Result<Self> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let needed = |name: &'static str| path(name).ok_or(Error::NotABuildScript(name));
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Inputs {
            out_dir: needed("OUT_DIR")?,
            manifest_dir: needed("CARGO_MANIFEST_DIR")?,
            cargo: path("CARGO").unwrap_or_else(|| "cargo".into()),
            features: list(set("CARGO_CFG_FEATURE").as_deref().unwrap_or_default(), ','),
            cfgs: cfgs(set("CARGO_ENCODED_RUSTFLAGS").as_deref().unwrap_or_default()),
            // Cargo does not tell a profile's debug-assertions; `debug` is what every profile that inherits
            // from `dev` calls itself, whatever its optimisation.
            checks: set("PROFILE").is_none_or(|profile| profile == "debug"),
            sim: std::env::var_os("CARGO_CFG_SIM").is_some(),
            docs: std::env::var_os("DOCS_RS").is_some(),
            arch: set(crate::arch::VARIABLE),
            device_root: path("DEP_WARPWEFT_DEVICE_ROOT"),
            bitcode: path("DEP_WARPWEFT_BITCODE"),
            jobs: set("NUM_JOBS").and_then(|jobs| jobs.parse().ok()).unwrap_or(cpus).clamp(1, cpus),
            package_env: std::env::vars()
                .filter(|(name, _)| name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR")
                .collect(),
        })
    }
}

fn list(text: &str, separator: char) -> Vec<String> {
    text.split(separator).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The values of `--cfg` in flags as cargo encodes them; `sim` means something else here.
fn cfgs(encoded: &str) -> Vec<String> {
    let flags = list(encoded, '\x1f');
    let mut found = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.strip_prefix("--cfg=") {
            Some(value) => found.push(value.to_owned()),
            None if flag == "--cfg" => found.extend(flags.next().cloned()),
            None => {}
        }
    }
    found.retain(|cfg| cfg != "sim");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cfgs_of_the_flags_reach_the_device() {
        let encoded = "-Ctarget-cpu=native\x1f--cfg\x1fslow\x1f--cfg=depth=\"2\"\x1f--cfg\x1fsim\x1f-Cinstrument-coverage";
        assert_eq!(cfgs(encoded), ["slow", "depth=\"2\""]);
    }
}
