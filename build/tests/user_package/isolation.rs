//! Settings of the outer build that must not reach the device build, or hang it.
//!
//! Each case has flags of its own, so cargo compiles the dependencies anew for it: the long half is ignored by
//! default, and `cargo test -- --ignored` runs it.

use crate::support::{Built, UserPackage, has_toolchain};

const MAIN: &str = "use warpweft::prelude::*;\n\
    #[kernel]\n\
    fn add(x: &[u32], mut y: DisjointSlice<u32>) {\n\
    \x20   let i = thread::index();\n\
    \x20   if let Some(y) = y.get_mut(&i) { *y += x[&i]; }\n\
    }\n\
    fn main() {}\n";

fn package(name: &str) -> Option<UserPackage> {
    has_toolchain(name).then(|| UserPackage::new(name, &[("src/main.rs", MAIN)]))
}

#[track_caller]
fn expect_kernel(built: Built, name: &str) -> String {
    let built = built.expect_success();
    let key = format!("bin-{name}");
    assert_eq!(built.entries(&key), [format!("{}__add", name.replace('-', "_"))]);
    built.ptx(&key)
}

/// The panic path that an overflow check leaves in the PTX names the kind of fault.
fn checks_overflow(ptx: &str) -> bool {
    // "attempt to add with overflow", as PTX spells bytes.
    let text: Vec<String> = "add with overflow".bytes().map(|byte| byte.to_string()).collect();
    ptx.contains(&text.join(", "))
}

#[test]
fn checks_follow_the_profile_and_check_does_not_poison_build() {
    let Some(package) = package("isolated-profile") else { return };
    package.cargo(&["check"], &[]).expect_success();
    let dev = expect_kernel(package.cargo(&["build"], &[]), "isolated-profile");
    assert!(checks_overflow(&dev), "no overflow check in a dev build");
    let arch = package.cargo(&["build"], &[("WARPWEFT_ARCH", "sm_42")]);
    let errors = arch.errors();
    assert!(!arch.success && errors.len() == 1, "{errors:?}");
    assert!(errors[0].0.contains("WARPWEFT_ARCH is `sm_42`"), "{errors:?}");
}

#[test]
#[ignore = "long: a release build of all dependencies"]
fn a_release_build_does_not_hang_and_has_no_checks() {
    let Some(package) = package("isolated-release") else { return };
    let ptx = expect_kernel(package.cargo(&["build", "--release"], &[]), "isolated-release");
    assert!(!checks_overflow(&ptx), "an overflow check in a release build");
}

#[test]
#[ignore = "long: builds all dependencies for each set of flags"]
fn flags_wrappers_and_directories_of_the_outer_build_stay_outside() {
    let Some(package) = package("isolated-flags") else { return };
    let build_dir = package.dir.join("build dir");
    let build_dir = build_dir.to_str().unwrap();
    let host = &host();
    type Case<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)]);
    let cases: &[Case<'_>] = &[
        ("native processor", &["build"], &[("RUSTFLAGS", "-Ctarget-cpu=native")]),
        ("coverage", &["build"], &[("RUSTFLAGS", "-Cinstrument-coverage")]),
        ("target", &["build", "--target", host], &[]),
        (
            "target and flags",
            &["build", "--target", host],
            &[("RUSTFLAGS", "-Ctarget-cpu=native --cfg wanted")],
        ),
        ("build directory", &["build"], &[("CARGO_BUILD_BUILD_DIR", build_dir)]),
        ("profile by variable", &["build"], &[("CARGO_PROFILE_DEV_DEBUG", "2"), ("CARGO_INCREMENTAL", "0")]),
        ("wrapper", &["build"], &[("RUSTC_WRAPPER", "/usr/bin/env")]),
    ];
    for (name, args, env) in cases {
        eprintln!("{name}");
        expect_kernel(package.cargo(args, env), "isolated-flags");
        let again = package.cargo(args, env).expect_success();
        assert_eq!(again.compiled, Vec::<String>::new(), "{name}: compiled again");
    }
}

#[test]
#[ignore = "long: builds all dependencies for the simulator as well"]
fn the_simulator_needs_no_toolchain_and_does_not_spoil_the_next_build() {
    let Some(package) = package("isolated-sim") else { return };
    let sim = [("RUSTFLAGS", "--cfg sim"), ("WARPWEFT_RUSTC", "/nowhere")];
    expect_kernel(package.cargo(&["build"], &[]), "isolated-sim");
    let built = package.cargo(&["build"], &sim).expect_success();
    assert!(built.table().contains("mode\tsim\n"), "{}", built.table());
    expect_kernel(package.cargo(&["build"], &[]), "isolated-sim");
    // With a target, even the host's own, cargo keeps the flags away from build scripts.
    let host = &host();
    expect_kernel(package.cargo(&["build", "--target", host], &[]), "isolated-sim");
    let built = package.cargo(&["build", "--target", host], &sim).expect_success();
    assert!(built.table().contains("mode\tsim\n"), "{}", built.table());
}

/// The triple of this machine, as rustc names it.
fn host() -> String {
    let output = std::process::Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}
