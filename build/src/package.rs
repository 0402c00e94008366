//! The cargo targets of the package whose build script runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cargo_metadata::{Dependency, DependencyKind, Metadata, Target, TargetKind};

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
    /// The names under which code of the package knows the crates that it always depends on.
    pub dependencies: Vec<String>,
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
    let always = |dependency: &&Dependency| {
        dependency.kind == DependencyKind::Normal && !dependency.optional && dependency.target.is_none()
    };
    let name =
        |dependency: &Dependency| dependency.rename.as_ref().unwrap_or(&dependency.name).replace('-', "_");
    let dependencies = package.dependencies.iter().filter(always).map(name).collect();
    let arch = package.metadata.get("warpweft").and_then(|table| table.get("arch"));
    let arch = match arch {
        Some(value) => Some(value.as_str().map(str::to_owned).ok_or_else(|| Error::Setting {
            setting: "package.metadata.warpweft.arch".to_owned(),
            value: value.to_string(),
            reason: "expected a string such as \"sm_90\"".to_owned(),
        })?),
        None => None,
    };
    let workspace_root = metadata.workspace_root.clone().into_std_path_buf();
    Ok(Package { workspace_root, arch, targets, dependencies })
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

/// The source of a library from the registry that is a dependency of the package: the root file and the edition.
///
/// Looks for the locked version in cargo's registry; asks cargo, which takes ten times as long, only where it is
/// not there (vendored sources); and takes any version when the package has no lock file of its own.
pub(crate) fn dependency_source(
    cargo: &Path,
    manifest_dir: &Path,
    workspace_root: &Path,
    name: &str,
) -> Option<(PathBuf, String)> {
    let lock = std::fs::read_to_string(workspace_root.join("Cargo.lock")).unwrap_or_default();
    let sources = registry_sources(name);
    let in_registry = |version: &str| {
        let wanted = format!("{name}-{version}");
        sources.iter().find(|path| path.file_name().is_some_and(|file| *file == *wanted)).cloned()
    };
    let library = |path: PathBuf| {
        let root = path.join("src/lib.rs");
        let edition = stated_edition(&path.join("Cargo.toml"))?;
        root.is_file().then_some((root, edition))
    };
    if let Some(found) = locked_versions(&lock, name).iter().find_map(|version| in_registry(version)) {
        return library(found);
    }
    if let Ok(metadata) = metadata(cargo, &manifest_dir.join("Cargo.toml"), &["--locked"]) {
        let packages = metadata.packages.iter().filter(|package| *package.name == name);
        let package = packages.max_by_key(|package| package.version.clone());
        if let Some(library) = package.and_then(|package| package.targets.iter().find_map(as_library)) {
            return Some(library);
        }
    }
    sources.into_iter().find_map(library)
}

/// The versions of a package in a lock file.
fn locked_versions(lock: &str, name: &str) -> Vec<String> {
    let value = |line: &str, key: &str| {
        let rest = line.strip_prefix(key)?.trim_start().strip_prefix('=')?;
        Some(rest.trim().trim_matches('"').to_owned())
    };
    let lines: Vec<&str> = lock.lines().collect();
    let names = lines.windows(2).filter(|pair| value(pair[0], "name").is_some_and(|found| found == name));
    names.filter_map(|pair| value(pair[1], "version")).collect()
}

/// The unpacked versions of a package in cargo's registry, the newest first.
fn registry_sources(name: &str) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let registries = home.and_then(|home| home.join("registry/src").read_dir().ok());
    let mut found: Vec<PathBuf> = registries
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|registry| registry.path().read_dir().into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| version_of(path, name).is_some())
        .collect();
    found.sort_by_key(|path| std::cmp::Reverse(version_of(path, name)));
    found
}

/// The version in a directory name such as `libm-0.2.16`.
fn version_of(path: &Path, name: &str) -> Option<cargo_metadata::semver::Version> {
    path.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('-')?.parse().ok()
}

/// The edition that a manifest as cargo publishes it states.
fn stated_edition(manifest: &Path) -> Option<String> {
    let text = std::fs::read_to_string(manifest).ok()?;
    let stated =
        text.lines().find_map(|line| line.strip_prefix("edition = \"")?.strip_suffix('"').map(str::to_owned));
    Some(stated.unwrap_or_else(|| "2015".to_owned()))
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
    fn lock_files_tell_versions() {
        let lock = "version = 4\n\n[[package]]\nname = \"libm\"\nversion = \"0.2.16\"\n\n[[package]]\nname = \"libmore\"\nversion = \"1.0.0\"\n";
        assert_eq!(locked_versions(lock, "libm"), ["0.2.16"]);
        assert!(locked_versions(lock, "lib").is_empty());
    }

    #[test]
    fn a_broken_manifest_is_quoted() {
        let dir = tempfile::tempdir().unwrap();
        package(dir.path(), "[package]\nname = 3\n", &["src/lib.rs"]);
        let text = read(&cargo(), dir.path(), &[]).unwrap_err().to_string();
        assert!(text.contains("cargo metadata") && text.contains("name"), "{text}");
    }
}
