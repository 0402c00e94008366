//! The corner cases of `tests/sources` and `tests/faults` as a user's package: host compiler, macros, device
//! compiler and the real device layer together.

use std::path::{Path, PathBuf};

use crate::support::{UserPackage, has_toolchain};

/// The Rust files below a directory, by their paths in it.
fn files(dir: &str) -> Vec<(String, String)> {
    fn walk(root: &Path, dir: PathBuf, found: &mut Vec<(String, String)>) {
        for entry in dir.read_dir().unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(root, path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut found = Vec::new();
    walk(&root, root.clone(), &mut found);
    found
}

fn package(files: &[(String, String)]) -> UserPackage {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let package = UserPackage::new("demo", &files);
    package.edit("Cargo.toml", "extra = []", "default = [\"on\"]\non = []\noff = []");
    package
}

#[test]
fn corner_cases_build() {
    if !has_toolchain("corner_cases_build") {
        return;
    }
    let mut files = files("sources");
    // Its derives and attributes belong to crates that are not dependencies of this one.
    files.retain(|(path, _)| !path.ends_with("serde_like.rs"));
    let package = package(&files);
    let built = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_eq!(built.entries("bin-modules"), ["modules__inner__deep__k", "modules__on__k"]);
    assert_eq!(built.entries("lib.test"), ["demo__k", "demo__tests__t"]);
}

#[test]
fn faults_appear_once_at_their_tokens() {
    if !has_toolchain("faults_appear_once_at_their_tokens") {
        return;
    }
    let mut files = files("faults");
    for (path, _) in &mut files {
        *path = format!("src/bin/{path}");
    }
    files.extend(self::files("sources").into_iter().filter(|(path, _)| path == "src/lib.rs"));
    let package = package(&files);
    let built = package.cargo(&["build", "--bins", "--keep-going"], &[]);
    assert!(!built.success);
    let mut report = String::new();
    for (path, text) in &files {
        let errors: Vec<(String, u64, u64)> = built.errors_in(path);
        for expected in text.lines().filter_map(|line| line.strip_prefix("//~ ")) {
            let (place, beginning) = expected.split_once(' ').unwrap();
            // A crate that the package does not depend on is told by the host compiler, at the import.
            let (place, beginning) = match beginning.contains("seems to be of another crate") {
                true => ("1:5", "unresolved import `nalgebra`"),
                false => (place, beginning),
            };
            // The host compiler has no such words in front.
            let beginning = beginning.strip_prefix("in device code: ").unwrap_or(beginning);
            let beginning = beginning.split(": ").next().unwrap_or(beginning);
            // Where no macro sees the token, the place is in the text.
            let found = errors.iter().filter(|(text, line, column)| {
                let there = format!("{line}:{column}") == place || text.ends_with(&format!("{path}:{place}"));
                there && text.trim_start_matches("in device code: ").starts_with(beginning)
            });
            if found.count() != 1 {
                report += &format!("{path}: not once: {expected}\n{errors:#?}\n");
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}
