//! The cargo targets of the package whose build script runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cargo_metadata::{Metadata, Target, TargetKind};

use crate::error::{Error, Result};
use crate::process;

const METADATA_LIMIT: Duration = Duration::from_secs(120);

/// A package as cargo sees it.
#[derive(Debug)]
pub(crate) struct Package {
    /// Where cargo runs the host compiler, which prints paths relative to it.
    pub workspace_root: PathBuf,
    /// `arch` in `[package.metadata.warpweft]`.
    pub arch: Option<String>,
    /// The targets that may hold device code, the library first.
    pub targets: Vec<CargoTarget>,
}

/// The kinds of targets that may hold device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Lib,
    Bin,
    Example,
    Test,
    Bench,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Lib => "lib",
            Kind::Bin => "bin",
            Kind::Example => "example",
            Kind::Test => "test",
            Kind::Bench => "bench",
        }
    }

    /// Cargo compiles these only with `cfg(test)`.
    pub fn is_test(self) -> bool {
        matches!(self, Kind::Test | Kind::Bench)
    }
}

/// One cargo target.
#[derive(Debug, Clone)]
pub(crate) struct CargoTarget {
    pub kind: Kind,
    /// The name of the crate, as rustc has it.
    pub crate_name: String,
    pub root: PathBuf,
    pub edition: String,
    /// Names the target among those of the package, and its files.
    pub key: String,
}

/// Asks cargo for the targets of the package in `manifest_dir` whose required features are on.
pub(crate) fn read(cargo: &Path, manifest_dir: &Path, features: &[String]) -> Result<Package> {
    let manifest = manifest_dir.join("Cargo.toml");
    let metadata = metadata(cargo, &manifest, &["--no-deps"])?;
    let same = |path: &Path| path == manifest || path.canonicalize().ok() == manifest.canonicalize().ok();
    let package =
        metadata.packages.iter().find(|package| same(package.manifest_path.as_std_path())).ok_or_else(
            || Error::Tool {
                what: "`cargo metadata`".to_owned(),
                message: format!("it does not list the package of {}", manifest.display()),
            },
        )?;
    let mut targets: Vec<CargoTarget> =
        package.targets.iter().filter(|target| is_on(target, features)).filter_map(read_target).collect();
    targets.sort_by(|a, b| (a.kind, &a.key).cmp(&(b.kind, &b.key)));
    let arch = package.metadata.get("warpweft").and_then(|table| table.get("arch"));
    let arch = match arch {
        Some(value) => Some(value.as_str().map(str::to_owned).ok_or_else(|| Error::Setting {
            setting: "package.metadata.warpweft.arch".to_owned(),
            value: value.to_string(),
            reason: "expected a string such as \"sm_90\"".to_owned(),
        })?),
        None => None,
    };
    Ok(Package { workspace_root: metadata.workspace_root.clone().into_std_path_buf(), arch, targets })
}

fn is_on(target: &Target, features: &[String]) -> bool {
    target.required_features.iter().all(|feature| features.contains(feature))
}

fn read_target(target: &Target) -> Option<CargoTarget> {
    let kind = target.kind.iter().find_map(|kind| match kind {
        TargetKind::Lib
        | TargetKind::RLib
        | TargetKind::DyLib
        | TargetKind::CDyLib
        | TargetKind::StaticLib => Some(Kind::Lib),
        TargetKind::Bin => Some(Kind::Bin),
        TargetKind::Example => Some(Kind::Example),
        TargetKind::Test => Some(Kind::Test),
        TargetKind::Bench => Some(Kind::Bench),
        _ => None,
    })?;
    let key = match kind {
        Kind::Lib => "lib".to_owned(),
        kind => format!("{}-{}", kind.name(), target.name),
    };
    Some(CargoTarget {
        kind,
        crate_name: target.name.replace('-', "_"),
        root: target.src_path.clone().into_std_path_buf(),
        edition: target.edition.as_str().to_owned(),
        key,
    })
}

/// The source of a library that is a dependency of the package: the root file and the edition.
///
/// Asks cargo, and looks into cargo's registry when the package has no lock file of its own.
pub(crate) fn dependency_source(cargo: &Path, manifest_dir: &Path, name: &str) -> Option<(PathBuf, String)> {
    let manifest = manifest_dir.join("Cargo.toml");
    if let Ok(metadata) = metadata(cargo, &manifest, &["--locked"]) {
        let package = metadata
            .packages
            .iter()
            .filter(|package| *package.name == name)
            .max_by_key(|p| p.version.clone());
        if let Some(library) = package.and_then(|package| package.targets.iter().find_map(as_library)) {
            return Some(library);
        }
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")))?;
    let registries = home.join("registry/src").read_dir().ok()?.flatten();
    let mut found: Vec<PathBuf> = registries
        .flat_map(|registry| registry.path().read_dir().into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            file.strip_prefix(name).is_some_and(|rest| rest.starts_with("-0.2."))
        })
        .collect();
    found.sort_by_key(|path| {
        let version = path.to_string_lossy().rsplit('.').next().and_then(|patch| patch.parse::<u32>().ok());
        std::cmp::Reverse(version)
    });
    found
        .into_iter()
        .map(|path| path.join("src/lib.rs"))
        .find(|root| root.is_file())
        .map(|root| (root, "2021".into()))
}

fn as_library(target: &Target) -> Option<(PathBuf, String)> {
    target
        .kind
        .contains(&TargetKind::Lib)
        .then(|| (target.src_path.clone().into_std_path_buf(), target.edition.as_str().to_owned()))
}

/// Runs `cargo metadata` away from the outer cargo's settings; without `--no-deps` it needs the lock file.
fn metadata(cargo: &Path, manifest: &Path, options: &[&str]) -> Result<Metadata> {
    let mut command: Command = process::clean(cargo);
    command.args(["metadata", "--format-version", "1", "--offline"]).args(options);
    command.arg("--manifest-path").arg(manifest);
    if let Some(dir) = manifest.parent() {
        command.current_dir(dir);
    }
    let finished = process::run(&mut command, METADATA_LIMIT)?;
    let failed = |message: String| Error::Tool { what: "`cargo metadata`".to_owned(), message };
    if !finished.success {
        return Err(failed(finished.said()));
    }
    serde_json::from_str(&finished.stdout).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(dir: &Path, manifest: &str, files: &[&str]) {
        std::fs::write(dir.join("Cargo.toml"), manifest).unwrap();
        for file in files {
            let path = dir.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "fn main() {}").unwrap();
        }
    }

    fn cargo() -> PathBuf {
        std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
    }

    #[test]
    fn lists_the_targets_that_cargo_would_build() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("with space");
        std::fs::create_dir(&dir).unwrap();
        package(
            &dir,
            "[package]\nname = \"my-app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[features]\nx = []\n\
             [[example]]\nname = \"needs-x\"\nrequired-features = [\"x\"]\n\
             [package.metadata.warpweft]\narch = \"sm_90\"\n",
            &["src/lib.rs", "src/main.rs", "examples/needs-x.rs", "tests/t.rs", "benches/b.rs", "build.rs"],
        );
        let found = read(&cargo(), &dir, &[]).unwrap();
        let listed: Vec<_> = found.targets.iter().map(|t| (t.key.as_str(), t.crate_name.as_str())).collect();
        assert_eq!(listed, [("lib", "my_app"), ("bin-my-app", "my_app"), ("test-t", "t"), ("bench-b", "b")]);
        assert_eq!(found.arch.as_deref(), Some("sm_90"));
        assert_eq!(found.targets[0].edition, "2021");
        assert!(found.targets[0].root.ends_with("with space/src/lib.rs"));
        let found = read(&cargo(), &dir, &["x".to_owned()]).unwrap();
        assert!(found.targets.iter().any(|target| target.key == "example-needs-x"));
    }

    #[test]
    fn a_broken_manifest_is_quoted() {
        let dir = tempfile::tempdir().unwrap();
        package(dir.path(), "[package]\nname = 3\n", &["src/lib.rs"]);
        let text = read(&cargo(), dir.path(), &[]).unwrap_err().to_string();
        assert!(text.contains("cargo metadata") && text.contains("name"), "{text}");
    }
}
