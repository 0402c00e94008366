//! Each kind of cargo target finds its own kernels: the package in `targets` is built and tested as a user would do it.

use std::path::Path;
use std::process::Command;

#[test]
fn every_kind_of_target_has_its_own_kernels() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap();
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("targets");
    copy(&here.join("tests/targets"), &package);
    let manifest = format!(
        "[package]\nname = \"targets\"\nedition = \"2024\"\n\n[dependencies]\nwarpweft = {{ path = {:?} }}\n\n\
         [build-dependencies]\nwarpweft-build = {{ path = {:?} }}\n\n[[bench]]\nname = \"speed\"\nharness = false\n\n\
         [workspace]\n",
        root.join("runtime"),
        root.join("build")
    );
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    std::fs::write(package.join("build.rs"), "fn main() {\n    warpweft_build::compile()\n}\n").unwrap();

    let tested = cargo(&package, &["test", "--all-targets"]);
    let devices = if cfg!(sim) { &["simulator"][..] } else { &["simulator", "cuda"] };
    for test in
        ["tests::kernels_of_tests", "tests::kernels_see_cfg_test", "tests::of_program", "of_integration_test"]
    {
        for device in devices {
            assert!(tested.contains(&format!("test {test}::{device} ... ok")), "{test}::{device}\n{tested}");
        }
    }
    assert_eq!(tested.matches("test tests::of_program::simulator ... ok").count(), 3, "{tested}");
    assert!(tested.contains("speed says 90"), "{tested}");

    let documented = cargo(&package, &["test", "--doc"]);
    assert!(documented.contains("1 passed"), "{documented}");
    assert!(cargo(&package, &["run", "--bin", "targets"]).contains("main says 40"));
    assert!(cargo(&package, &["run", "--bin", "second"]).contains("second says 50"));
    assert!(cargo(&package, &["run", "--example", "show"]).contains("show says 60"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs cargo in the package and returns what it printed.
fn cargo(package: &Path, arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    let flags = if cfg!(sim) { "--cfg\u{1f}sim" } else { "" };
    cargo
        .args(arguments)
        .arg("--offline")
        .current_dir(package)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("user target"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags);
    let output = cargo.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "cargo {arguments:?}:\n{out}\n{err}");
    out.into_owned()
}
