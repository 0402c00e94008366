//! Every way to a device compiler, with a real build through it.

use std::path::{Path, PathBuf};

use warpweft_build::toolchain::{self, Core};

use crate::support::UserPackage;

const MAIN: &str = "use warpweft::prelude::*;\n\
    #[kernel]\n\
    fn root(x: &[f32], mut y: DisjointSlice<f32>) {\n\
    \x20   let i = thread::index();\n\
    \x20   if let Some(y) = y.get_mut(&i) { *y = x[&i].sqrt(); }\n\
    }\n\
    fn main() {}\n";

fn build(name: &str, env: &[(&str, &str)]) {
    let package = UserPackage::new(name, &[("src/main.rs", MAIN)]);
    let built = package.cargo(&["build"], env).expect_success();
    let key = format!("bin-{name}");
    assert_eq!(built.entries(&key), [format!("{}__root", name.replace('-', "_"))]);
    assert!(built.ptx(&key).contains("sqrt.rn"), "the kernel's work is not in the PTX");
}

/// The core that an earlier build of this toolchain left in the cache.
fn cached_core(release: &str) -> PathBuf {
    let cache = warpweft_build::cache::directory().unwrap().join("v1");
    let entries = cache.read_dir().unwrap().flatten().map(|entry| entry.path());
    let prefix = format!("sysroot-{release}-");
    let mut found: Vec<PathBuf> = entries
        .filter(|path| path.is_dir() && path.file_name().unwrap().to_string_lossy().starts_with(&prefix))
        .collect();
    found.sort_by_key(|path| path.metadata().unwrap().modified().unwrap());
    found.pop().expect("the build of the sources left no core in the cache")
}

#[test]
fn sources_an_installed_target_and_a_named_sysroot_all_work() {
    let name = "sources_an_installed_target_and_a_named_sysroot_all_work";
    let Ok(found) = toolchain::find() else {
        eprintln!("{name}: skipped, no device toolchain");
        return;
    };
    let rustc = found.rustc.to_str().unwrap();
    build("route-found", &[]);
    if !matches!(found.core, Core::Sources(_)) {
        eprintln!("{name}: the toolchain here has the target installed; the other ways are skipped");
        return;
    }
    let core = cached_core(&found.release);
    build("route-sysroot", &[("WARPWEFT_RUSTC", rustc), ("WARPWEFT_SYSROOT", core.to_str().unwrap())]);

    // What `rustup target add` leaves: the compiler's own sysroot holds the target.
    #[cfg(unix)]
    {
        let dir = tempfile::Builder::new().prefix("a toolchain ").tempdir().unwrap();
        let installed = as_if_installed(dir.path(), rustc, &core);
        build("route-target", &[("WARPWEFT_RUSTC", installed.to_str().unwrap())]);
    }
}

#[cfg(unix)]
fn as_if_installed(dir: &Path, rustc: &str, core: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let target = Path::new("lib/rustlib").join(toolchain::TARGET);
    std::fs::create_dir_all(dir.join("bin")).unwrap();
    std::fs::create_dir_all(dir.join("lib/rustlib")).unwrap();
    std::os::unix::fs::symlink(core.join(&target), dir.join(&target)).unwrap();
    let shim = dir.join("bin/rustc");
    std::fs::write(&shim, format!("#!/bin/sh\nexec '{rustc}' --sysroot '{}' \"$@\"\n", dir.display()))
        .unwrap();
    std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
    shim
}

#[test]
fn the_systems_compiler_works_beside_rustups() {
    let system = Path::new("/usr/bin/rustc");
    if !Path::new("/usr/lib/rustlib/src/rust/library/core/src/lib.rs").is_file() || !system.is_file() {
        eprintln!(
            "the_systems_compiler_works_beside_rustups: skipped, no /usr/bin/rustc with sources of core"
        );
        return;
    }
    build("route-system", &[("WARPWEFT_RUSTC", "/usr/bin/rustc")]);
}
