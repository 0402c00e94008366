//! The GPU generation that device code is compiled for.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::process;

/// The variable that overrides the manifest.
pub(crate) const VARIABLE: &str = "WARPWEFT_ARCH";

/// The oldest generation that the device layer supports.
const OLDEST: u32 = 70;

/// The generations that every supported compiler knows.
const ALWAYS_KNOWN: &[&str] =
    &["sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"];

/// A GPU generation, such as `sm_90`, as `-Ctarget-cpu` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arch(String);

impl Default for Arch {
    fn default() -> Self {
        Arch("sm_75".to_owned())
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
        match number.and_then(|number| number.parse::<u32>().ok()) {
            Some(number) if number >= OLDEST && text.len() <= "sm_999a".len() => Ok(Arch(text.to_owned())),
            Some(number) if number < OLDEST => Err(format!("GPUs older than sm_{OLDEST} are not supported")),
            _ => Err("expected `native` or a GPU generation such as `sm_75` or `sm_90a`".to_owned()),
        }
    }
}

impl Arch {
    /// The name, such as `sm_90a`.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Whether each supported compiler is known to have it.
    pub(crate) fn always_known(&self) -> bool {
        ALWAYS_KNOWN.contains(&self.name())
    }
}

/// Reads a setting; `native` asks the driver.
///
/// # Errors
/// [`Error::Setting`] when the value names no GPU generation, or `native` finds no GPU.
pub fn from_setting(setting: &str, value: &str) -> Result<Arch> {
    let read = if value == "native" { native() } else { value.parse() };
    read.map_err(|reason| Error::Setting { setting: setting.to_owned(), value: value.to_owned(), reason })
}

/// Asks the driver for the generation of this machine's GPUs: the oldest one, so that the code runs on each.
///
/// # Errors
/// The text of an error: no driver tool, no GPU, or an answer that makes no sense.
pub fn native() -> Result<Arch, String> {
    const REMEDY: &str = "name the GPU generation, such as `sm_90`, instead";
    let mut command = process::clean("nvidia-smi");
    command.args(["--query-gpu=compute_cap", "--format=csv,noheader"]);
    let finished = process::run(&mut command, Duration::from_secs(60)).map_err(|error| match error {
        Error::Spawn { .. } => format!("there is no `nvidia-smi` here to ask for the GPU: {REMEDY}"),
        other => format!("{other}: {REMEDY}"),
    })?;
    if !finished.success {
        return Err(format!("`nvidia-smi` found no GPU ({}): {REMEDY}", finished.said().trim()));
    }
    oldest(&finished.stdout)
        .ok_or_else(|| format!("`nvidia-smi` names no GPU ({:?}): {REMEDY}", finished.stdout))
}

/// The oldest of the compute capabilities that stand one in a line: `9.0` is `sm_90`.
fn oldest(answer: &str) -> Option<Arch> {
    let capability = |line: &str| {
        let (major, minor) = line.trim().split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    let (major, minor) = answer.lines().filter_map(capability).min()?;
    format!("sm_{major}{minor}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["sm_70", "sm_75", "sm_90a", "sm_120", "sm_103f"] {
            assert_eq!(good.parse::<Arch>().unwrap().name(), good);
        }
        for bad in ["", "sm_", "75", "sm_9x", "compute_90", "sm_90 -O0", "SM_90"] {
            assert!(bad.parse::<Arch>().unwrap_err().contains("expected"), "{bad}");
        }
        assert!("sm_61".parse::<Arch>().unwrap_err().contains("older than sm_70"));
    }

    #[test]
    fn the_oldest_gpu_of_the_machine_counts() {
        assert_eq!(oldest("12.0\n9.0\n10.0\n").unwrap().name(), "sm_90");
        assert_eq!(oldest("[N/A]\n"), None);
    }

    #[test]
    fn a_bad_setting_is_named_with_its_value() {
        let text = from_setting("WARPWEFT_ARCH", "hopper").unwrap_err().to_string();
        assert!(text.contains("WARPWEFT_ARCH is `hopper`"), "{text}");
    }
}
