//! Modules in files.

use std::path::Path;

use super::support::{Package, text};
use crate::view::Target;

const KERNEL: &str = "#[kernel] fn k() {}\n";

fn symbols(package: &Package, root: &str) -> Vec<String> {
    package.view(root).kernels.iter().map(|kernel| kernel.symbol.clone()).collect()
}

#[test]
fn modules_are_found_where_rustc_looks() {
    let package = Package::new(&[
        (
            "src/lib.rs",
            "mod a; mod b; mod inline { mod c; } pub(crate) mod r#type;\n#[path = \"odd/name.rs\"] mod d;",
        ),
        ("src/a.rs", "mod deep;"),
        ("src/a/deep.rs", KERNEL),
        ("src/b/mod.rs", "mod deep;"),
        ("src/b/deep.rs", KERNEL),
        ("src/inline/c.rs", KERNEL),
        ("src/type.rs", KERNEL),
        ("src/odd/name.rs", "mod beside;"),
        ("src/odd/beside.rs", KERNEL),
    ]);
    let expected =
        ["demo__a__deep__k", "demo__b__deep__k", "demo__inline__c__k", "demo__type__k", "demo__d__beside__k"];
    assert_eq!(symbols(&package, "src/lib.rs"), expected);
    let view = package.view("src/lib.rs");
    assert_eq!(view.base, package.dir.join("src"));
    let files: Vec<&Path> = view.files.iter().map(|file| file.relative.as_path()).collect();
    assert_eq!(files[0], Path::new("lib.rs"));
    for relative in [
        "a.rs",
        "a/deep.rs",
        "b/mod.rs",
        "b/deep.rs",
        "inline/c.rs",
        "type.rs",
        "odd/name.rs",
        "odd/beside.rs",
    ] {
        assert!(files.contains(&Path::new(relative)), "{relative}: {files:?}");
    }
    assert_eq!(text(&view, &package, "src/lib.rs").lines().nth(1), Some("#[path = \"odd/name.rs\"] mod d;"));
}

#[test]
fn a_path_may_lead_out_of_the_directory_of_the_root() {
    let package = Package::new(&[
        ("tests/t.rs", "#[path = \"../shared/k.rs\"] mod k;\nmod inline { #[path = \"x.rs\"] mod y; }"),
        ("shared/k.rs", KERNEL),
        ("tests/inline/x.rs", KERNEL),
    ]);
    assert_eq!(symbols(&package, "tests/t.rs"), ["demo__k__k", "demo__inline__y__k"]);
    let view = package.view("tests/t.rs");
    assert_eq!(view.base, package.dir);
    let files: Vec<&Path> = view.files.iter().map(|file| file.relative.as_path()).collect();
    assert_eq!(files, ["tests/t.rs", "shared/k.rs", "tests/inline/x.rs"].map(Path::new));
}

#[test]
fn an_absolute_path_is_replaced_by_the_place_where_a_module_lies_without_it() {
    let other = Package::new(&[("k.rs", KERNEL)]);
    let root = format!("#[path = {:?}] mod odd;", other.dir.join("k.rs"));
    let package = Package::new(&[("src/lib.rs", &root)]);
    let view = package.view("src/lib.rs");
    assert_eq!(text(&view, &package, "src/lib.rs").lines().next().map(str::trim), Some("mod odd;"));
    assert_eq!(view.kernels[0].owner.file, other.dir.join("k.rs"));
    assert_eq!(view.files[1].relative, Path::new("odd.rs"));
}

#[test]
fn modules_without_device_code_are_blanked() {
    let package = Package::new(&[
        ("src/lib.rs", "mod host;\nmod device;\nmod inline { fn host() {} }\n"),
        ("src/host.rs", "pub fn f() {}"),
        ("src/device.rs", "fn host() {}\n#[device] fn f() {}\n"),
    ]);
    let view = package.view("src/lib.rs");
    let lines: Vec<&str> = text(&view, &package, "src/lib.rs").lines().take(3).map(str::trim).collect();
    assert_eq!(lines, ["", "mod device;", ""]);
    assert_eq!(view.files.len(), 2);
    assert_eq!(view.watched.len(), 3);
}

#[test]
fn a_kernel_under_cfg_test_belongs_to_the_test_view() {
    let package = Package::new(&[(
        "src/lib.rs",
        "#[cfg(test)] mod tests { #[kernel] fn k() {} }\n#[cfg(not(test))] #[kernel] fn j() {}\n",
    )]);
    assert_eq!(symbols(&package, "src/lib.rs"), ["demo__j"]);
    let target = Target { test: true, ..package.target("src/lib.rs") };
    let view = package.make(&target).expect("it parses");
    assert_eq!(view.kernels.len(), 1);
    assert_eq!(view.kernels[0].symbol, "demo__tests__k");
    assert!(!view.kernels[0].conditional);
}

#[test]
fn a_feature_makes_a_kernel_conditional() {
    let package = Package::new(&[(
        "src/lib.rs",
        "#[cfg(feature = \"a\")] mod m { #[kernel] fn a() {} }\n#[cfg_attr(feature = \"b\", kernel)] fn b() {}\n\
         #[kernel] #[cfg(all())] fn c() {}",
    )]);
    let conditional: Vec<bool> =
        package.view("src/lib.rs").kernels.iter().map(|kernel| kernel.conditional).collect();
    assert_eq!(conditional, [true, true, false]);
}

#[test]
fn either_of_two_files_may_be_the_module() {
    let package = Package::new(&[
        (
            "src/lib.rs",
            "#[cfg(feature = \"a\")] #[path = \"a.rs\"] mod imp;\n#[cfg(not(feature = \"a\"))] #[path = \"b.rs\"] mod imp;\n\
             #[cfg_attr(feature = \"c\", path = \"c.rs\")] mod other;",
        ),
        ("src/a.rs", KERNEL),
        ("src/b.rs", KERNEL),
        ("src/c.rs", KERNEL),
        ("src/other.rs", "#[kernel] fn j() {}"),
    ]);
    assert_eq!(
        symbols(&package, "src/lib.rs"),
        ["demo__imp__k", "demo__imp__k", "demo__other__k", "demo__other__j"]
    );
    let view = package.view("src/lib.rs");
    assert_eq!(view.files.len(), 5);
    assert_eq!(view.errors, []);
}

#[test]
fn a_file_that_does_not_parse_is_named_and_the_others_are_seen() {
    let package = Package::new(&[
        ("src/lib.rs", "mod bad; mod good;"),
        ("src/bad.rs", "\n  fn ß kernel("),
        ("src/good.rs", KERNEL),
    ]);
    let view = package.view("src/lib.rs");
    assert_eq!(view.kernels.len(), 1);
    assert_eq!(view.unparsed.len(), 1);
    let fault = &view.unparsed[0];
    assert_eq!((fault.file.as_path(), fault.line), (package.dir.join("src/bad.rs").as_path(), 2));
    let root = Package::new(&[("src/lib.rs", "fn kernel(")]);
    let faults = root.make(&root.target("src/lib.rs")).expect_err("the root does not parse");
    assert_eq!((faults.len(), faults[0].line), (1, 1));
    let faults = root.make(&root.target("src/none.rs")).expect_err("there is no such file");
    assert_eq!(faults.len(), 1);
}

#[test]
fn a_missing_or_circular_module_is_left_to_the_host_compiler() {
    let package = Package::new(&[
        ("src/lib.rs", "mod missing; mod around; #[cfg(feature = \"a\")] mod maybe; #[kernel] fn k() {}"),
        ("src/around.rs", "#[path = \"around.rs\"] mod again; #[device] fn f() {}"),
    ]);
    let view = package.view("src/lib.rs");
    assert_eq!(view.kernels.len(), 1);
    assert_eq!(view.files.len(), 2);
    let missing = package.dir.join("src/missing.rs");
    assert!(view.watched.contains(&missing));
    let unparsed: Vec<_> = view.unparsed.iter().map(|fault| &fault.file).collect();
    assert_eq!(unparsed, [&missing]);
}

#[test]
fn included_files_go_into_the_tree_and_are_watched() {
    let package = Package::new(&[
        (
            "src/bin/a.rs",
            "#[device] const T: &[u8] = include_bytes!(\"../../data/t.bin\"); const H: &str = include_str!(\"h.txt\");",
        ),
        ("data/t.bin", "1"),
        ("src/bin/h.txt", "2"),
    ]);
    let view = package.view("src/bin/a.rs");
    assert_eq!(view.base, package.dir);
    let included: Vec<&Path> = view.included.iter().map(|file| file.relative.as_path()).collect();
    assert_eq!(included, [Path::new("data/t.bin")]);
    assert!(view.watched.contains(&package.dir.join("data/t.bin")));
    let tree = package.dir.join("tree");
    assert_eq!(view.write(&tree).expect("it can be written"), tree.join("src/bin/a.rs"));
    assert_eq!(std::fs::read(tree.join("data/t.bin")).expect("it is there"), b"1");
}
