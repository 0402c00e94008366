//! What is built, what is built again, and what the user reads when it fails.

use crate::support::{UserPackage, has_toolchain};

const KERNEL: &str = "use warpweft::prelude::*;\n\
    #[kernel]\n\
    fn NAME(x: &[f32], mut y: DisjointSlice<f32>) {\n\
    \x20   let i = thread::index();\n\
    \x20   if let Some(y) = y.get_mut(&i) {\n\
    \x20       *y = user_targets::twice(x[&i]) + 1.0;\n\
    \x20   }\n\
    }\n";

fn kernel(name: &str) -> String {
    KERNEL.replace("NAME", name)
}

const LIB: &str = "\
use warpweft::prelude::*;
use std::collections::HashMap;

pub fn host() -> HashMap<u32, String> { HashMap::new() }

#[device]
pub fn twice(x: f32) -> f32 { x * 2.0 }

#[kernel]
pub fn in_lib(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(&i) {
        *y = twice(x[&i]);
    }
}

#[cfg(feature = \"extra\")]
#[kernel]
fn extra(n: u32) { let _ = n; }

#[cfg(test)]
mod tests {
    use warpweft::prelude::*;
    #[kernel]
    fn only_in_tests(n: u32) { let _ = n; }
}
";

#[test]
fn every_target_gets_its_image_and_nothing_is_built_twice() {
    if !has_toolchain("every_target_gets_its_image_and_nothing_is_built_twice") {
        return;
    }
    let bin = format!("use user_targets::twice as _;\n{}fn main() {{}}\n", kernel("in_bin"));
    let test = format!("{}#[test] fn t() {{}}\n", kernel("in_test"));
    let example = format!("{}fn main() {{}}\n", kernel("in_example"));
    let package = UserPackage::new(
        "user-targets",
        &[
            ("src/lib.rs", LIB),
            ("src/main.rs", &bin),
            ("src/bin/plain.rs", "fn main() {}\n"),
            ("examples/ex.rs", &example),
            ("tests/it.rs", &test),
            ("tests/data/picture.txt", "not Rust"),
        ],
    );
    let built = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_eq!(built.entries("lib"), ["user_targets__in_lib"]);
    assert_eq!(built.entries("lib.test"), ["user_targets__in_lib", "user_targets__tests__only_in_tests"]);
    assert_eq!(built.entries("bin-user-targets"), ["user_targets__in_bin"], "the library's entries stay out");
    assert_eq!(built.entries("example-ex"), ["ex__in_example"]);
    assert_eq!(built.entries("test-it"), ["it__in_test"]);
    assert!(built.table().contains("target\tbin-plain\tbin\tplain\t0\t\t\tempty\n"), "{}", built.table());
    assert!(built.ptx("lib").contains(".target sm_75"));
    assert!(!built.ptx("lib").contains("prototype_"), "code that only a pointer reaches is still there");

    let again = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_eq!(again.compiled, Vec::<String>::new(), "an unchanged package is compiled again");

    // A file beside the sources that no target holds, in a directory where a test may write.
    package.write("tests/data/written.txt", "by a test");
    package.write("README.md", "text");
    let again = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_eq!(
        again.compiled,
        Vec::<String>::new(),
        "a file that is no source makes the package compile again"
    );

    package.edit("examples/ex.rs", "+ 1.0", "+ 3.0");
    let edited = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_ne!(edited.ptx("example-ex"), built.ptx("lib"));
    assert!(edited.ptx("example-ex").contains("0f40400000"), "3.0 is not in the edited image");
    eprintln!("edit of one kernel of five targets, whole cargo build: {:?}", edited.took);

    package.write("examples/second.rs", "fn main() {}\n");
    let second = example.replace("in_example", "in_second");
    package.write("examples/second.rs", &second);
    let added = package.cargo(&["build", "--all-targets"], &[]).expect_success();
    assert_eq!(added.entries("example-second"), ["second__in_second"], "a new example is not seen");

    let extra = package.cargo(&["build", "--lib", "--features", "extra"], &[]).expect_success();
    assert_eq!(extra.entries("lib"), ["user_targets__extra", "user_targets__in_lib"]);
    let arch = package.cargo(&["build", "--lib"], &[("WARPWEFT_ARCH", "sm_90")]).expect_success();
    assert!(arch.ptx("lib").contains(".target sm_90"));
}

#[test]
fn device_errors_stand_at_the_users_tokens() {
    if !has_toolchain("device_errors_stand_at_the_users_tokens") {
        return;
    }
    let package = UserPackage::new(
        "user-errors",
        &[(
            "src/main.rs",
            "use warpweft::prelude::*;\n\
             fn helper(x: f32) -> f32 { x }\n\
             /* ß */ #[kernel] fn bad(x: f32, mut y: DisjointSlice<f32>) {\n\
             \x20   let i = thread::index();\n\
             \x20   if let Some(y) = y.get_mut(&i) { *y = helper(x); }\n\
             }\n\
             #[kernel] fn good(n: u32) { let _ = n; }\n\
             fn main() {}\n",
        )],
    );
    let built = package.cargo(&["build"], &[]);
    assert!(!built.success);
    let errors = built.errors();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let (text, line, column) = &errors[0];
    assert!(text.contains("helper") && text.contains("#[device]"), "{text}");
    assert_eq!((*line, *column), (5, 43));

    package.edit("src/main.rs", "fn helper", "#[device] fn helper");
    let mended = package.cargo(&["build"], &[]).expect_success();
    assert_eq!(mended.entries("bin-user-errors"), ["user_errors__bad", "user_errors__good"]);
}

#[test]
fn a_named_compiler_that_is_missing_is_told_once_per_crate() {
    let package = UserPackage::new(
        "user-lacking",
        &[(
            "src/main.rs",
            "use warpweft::prelude::*;\n#[kernel] fn k(n: u32) { let _ = n; }\n#[kernel] fn l(n: u32) { let _ = n; }\n\
             fn main() {}\n",
        )],
    );
    let nowhere = ("WARPWEFT_RUSTC", "/nowhere/rustc");
    let built = package.cargo(&["build"], &[nowhere]);
    assert!(!built.success);
    let errors = built.errors();
    assert_eq!(errors.len(), 1, "said once per crate: {errors:#?}");
    let expected =
        "WARPWEFT_RUSTC is `/nowhere/rustc`: there is no such file; name a rustc, or unset the variable";
    assert!(errors[0].0.contains(expected), "{}", errors[0].0);
    if has_toolchain("a_named_compiler_that_is_missing_is_told_once_per_crate, second half") {
        package.cargo(&["build"], &[]).expect_success();
    }
}

#[test]
fn a_package_without_kernels_needs_no_toolchain() {
    let package = UserPackage::new("user-plain", &[("src/main.rs", "fn main() { println!(\"kernel\"); }\n")]);
    let built = package.cargo(&["build"], &[("WARPWEFT_RUSTC", "/nowhere/rustc")]).expect_success();
    assert!(built.table().contains("mode\tptx\n"), "{}", built.table());
    assert!(built.table().contains("target\tbin-user-plain\tbin\tuser_plain\t0\t\t\tempty\n"));
}
