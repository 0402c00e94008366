//! What users read about device code that does not compile.

use super::support::Package;
use crate::view::{RustcMessage, RustcSpan, TableError, View};

/// A message of rustc about the text `at` in the file's view.
fn message(view: &View, source: &str, code: &str, text: &str, at: &str) -> RustcMessage {
    let file =
        view.files.iter().find(|file| file.relative.ends_with(source)).expect("the file is in the view");
    let start = file.text.find(at).unwrap_or_else(|| panic!("{at} is not in\n{}", file.text));
    let before = &file.text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    RustcMessage {
        level: "error".to_owned(),
        message: text.to_owned(),
        code: (!code.is_empty()).then(|| code.to_owned()),
        spans: vec![RustcSpan {
            file: view.base.join(&file.relative).display().to_string(),
            line,
            column,
            line_end: line,
            column_end: column + at.chars().count(),
            is_primary: true,
            ..RustcSpan::default()
        }],
        children: Vec::new(),
    }
}

fn one(source: &str, code: &str, text: &str, at: &str) -> TableError {
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    let mut errors = view.explain(&[message(&view, "main.rs", code, text, at)]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[test]
fn a_function_that_is_not_marked_is_named_with_its_caller() {
    let error = one(
        "fn helper() {}\n#[kernel] fn k() { let ß = helper(); }\n",
        "E0425",
        "cannot find function `helper` in this scope",
        "helper",
    );
    assert_eq!(error.message, "`helper` is called from kernel `k`: add #[device] to the function in line 1");
    assert_eq!((error.owner.name.as_str(), error.line, error.column), ("k", 2, 28));
}

#[test]
fn so_is_one_in_another_module_or_behind_an_import() {
    let source = "mod m { pub fn helper() {} pub const N: u32 = 1; }\nuse m::helper;\n#[kernel] fn k() { helper(); m::N }\n";
    let error = one(source, "E0425", "cannot find function `helper` in this scope", "helper");
    assert_eq!(error.message, "`helper` is called from kernel `k`: add #[device] to the function in line 1");
    let error = one(source, "E0433", "failed to resolve: use of unresolved module `m`", "m::N");
    assert!(error.message.contains("module `m` (line 1)"), "{}", error.message);
    let source = "#[device] mod m { pub fn other() {} } mod n { pub const N: u32 = 1; #[device] fn f() {} }\n#[device] fn d() -> u32 { n::N }\n";
    let error = one(source, "E0425", "cannot find value `N` in module `n`", "N");
    assert_eq!(error.message, "`N` is used in device code, `d`: add #[device] to the constant in line 1");
}

#[test]
fn a_host_import_is_named_with_its_line() {
    let source = "\nuse std::collections::{BTreeMap, HashMap as Map};\nuse serde::Value;\n#[kernel] fn k() { let m: Map<u8, u8>; let v: Value; }\n";
    let error = one(source, "E0425", "cannot find type `Map` in this scope", "Map");
    assert!(
        error.message.starts_with("`Map`, imported in line 2, is host-only: device code has no allocator"),
        "{}",
        error.message
    );
    let error = one(source, "E0425", "cannot find type `Value` in this scope", "Value");
    assert!(
        error
            .message
            .starts_with("`Value`, imported in line 3, is of another crate, `serde`: device code can use"),
        "{}",
        error.message
    );
}

#[test]
fn the_type_of_a_parameter_needs_a_derive() {
    let one = |kernel: &str| {
        let source = format!("\n\nstruct P {{ x: f32 }}\n#[kernel]\n{kernel}\n");
        let at = if kernel.contains("let") { "P;" } else { "P" };
        let package = Package::new(&[("src/main.rs", &source)]);
        let view = package.view("src/main.rs");
        let mut fault = message(&view, "main.rs", "E0425", "cannot find type `P` in this scope", at);
        fault.spans[0].column_end = fault.spans[0].column + 1;
        view.explain(&[fault]).remove(0).message
    };
    assert_eq!(
        one("fn k(a: f32, p: P) {}"),
        "`P` is a parameter of kernel `k`: add `#[derive(Clone, Copy, KernelArg)]` and `#[repr(C)]` to the struct in line 3"
    );
    for view in ["&[P]", "DisjointSlice<P>"] {
        assert_eq!(
            one(&format!("fn k(p: {view}) {{}}")),
            "`P` is an element of a parameter of kernel `k`: add `#[derive(Clone, Copy, Element)]` and `#[repr(C)]` to the \
             struct in line 3"
        );
    }
    assert_eq!(
        one("fn k() { let p: P; }"),
        "`P` is used in kernel `k`: add #[device] to the struct in line 3"
    );
}

#[test]
fn a_path_into_another_crate_is_not_to_be_added_as_a_dependency() {
    let expected = "`helper` is another crate: device code can use `core`, `warpweft` and #[device] items of its own \
        package; move the code here, or call it on the host alone";
    for (source, code, text) in [
        (
            "#[kernel] fn k() { helper::twice(1); }\n",
            "E0433",
            "cannot find module or crate `helper` in this scope",
        ),
        (
            "#[kernel] fn k() { helper::twice(1); }\n",
            "E0433",
            "failed to resolve: use of unresolved module or unlinked crate `helper`",
        ),
    ] {
        let error = one(source, code, text, "helper");
        assert_eq!(error.message, expected);
        assert!(error.shared, "a package without the dependency fails on the host too");
    }
    let source = "#[kernel] fn k() { rayon::join(1); }\n";
    let error = one(source, "E0433", "cannot find module or crate `rayon` in this scope", "rayon");
    assert!(error.message.starts_with("`rayon` is another crate: device code can use"), "{}", error.message);
    assert!(!error.shared, "the host has the crate");
    let error = one(
        "use rayon::prelude::*;\n#[kernel] fn k() { bridge(); }\n",
        "E0425",
        "cannot find function `bridge` in this scope",
        "bridge",
    );
    assert!(
        error.message.starts_with(
            "`bridge` seems to be of another crate, `rayon` (`use` in line 1): device code can use"
        ),
        "{}",
        error.message
    );
}

#[test]
fn std_and_alloc_have_words_of_their_own() {
    let source = "#[kernel] fn k() { println!(\"x\"); String::new(); vec![1]; let v: Vec<u8>; std::collections::HashMap::<u8, u8>::new(); std::thread::yield_now(); }\n";
    for (code, at, expected) in [
        ("", "println", "`println!` prints, which only the host does"),
        ("E0433", "String", "`String` is host-only: device code has no allocator"),
        ("", "vec", "`vec!` allocates"),
        ("E0425", "Vec", "`Vec` is host-only: device code has no allocator; use an array"),
        ("E0433", "collections", "`std::collections` is host-only: device code has `core`"),
        ("E0433", "thread", "`std::thread` is host-only"),
    ] {
        let error = one(source, code, &format!("cannot find `{at}`"), at);
        assert!(error.message.starts_with(expected), "{at}: {}", error.message);
    }
}

#[test]
fn a_method_that_is_not_marked_is_named() {
    let source = "#[device] struct S; impl S { fn host(&self) {} #[device] fn dev(&self) {} }\n#[kernel] fn k(s: S) { s.host(); 1.0_f32.sin(); }\n";
    let error =
        one(source, "E0599", "no method named `host` found for struct `S` in the current scope", "host");
    assert_eq!(error.message, "`host` is called from kernel `k`: add #[device] to the method in line 1");
    let error =
        one(source, "E0599", "no method named `sin` found for type `f32` in the current scope", "sin");
    assert!(error.message.contains("`use warpweft::prelude::*` brings the device's"), "{}", error.message);
}

#[test]
fn an_impl_that_is_not_marked_is_named() {
    let source = "#[device] struct S;\nimpl Add for S { type Output = S; fn add(self, o: S) -> S { o } }\n#[kernel] fn k(s: S) { s + s; }\n";
    let error = one(source, "E0369", "cannot add `S` to `S`", "s + s");
    assert_eq!(error.message, "`Add for S` is used in kernel `k`: add #[device] to the impl in line 2");
}

#[test]
fn other_errors_are_rustcs_own() {
    let package = Package::new(&[("src/main.rs", "#[kernel] fn k() { let x: u32 = 1.0; }\n")]);
    let view = package.view("src/main.rs");
    let mut fault = message(&view, "main.rs", "E0308", "mismatched types", "1.0");
    fault.spans[0].label = Some("expected `u32`, found floating-point `_::prelude::number`".to_owned());
    fault.children.push(RustcMessage {
        level: "help".to_owned(),
        message: "use a number".to_owned(),
        spans: vec![RustcSpan { suggestion: Some("1".to_owned()), ..RustcSpan::default() }],
        ..RustcMessage::default()
    });
    let warning = RustcMessage { level: "warning".to_owned(), ..fault.clone() };
    let end = RustcMessage {
        level: "error".to_owned(),
        message: "aborting due to 1 previous error".to_owned(),
        ..RustcMessage::default()
    };
    let errors = view.explain(&[fault.clone(), warning, fault, end]);
    assert_eq!(errors.len(), 1);
    assert_eq!(
        errors[0].message,
        "in device code: mismatched types: expected `u32`, found floating-point `number`\nhelp: use a number: `1`"
    );
    assert_eq!((errors[0].line, errors[0].column), (1, 33));
}

#[test]
fn errors_of_the_language_are_left_to_the_host() {
    let source = "#[device] struct S;\nimpl S { #[device] fn f() { a } }\nfn helper() {}\n\
        #[kernel] fn k() { bad; gone; helper(); }\n";
    let shared = |code, text, at| one(source, code, text, at).shared;
    assert!(shared("E0308", "mismatched types", "bad"));
    assert!(shared("E0425", "cannot find value `gone` in this scope", "gone"));
    // The host has a helper, and compiles no PTX.
    assert!(!shared("E0425", "cannot find function `helper` in this scope", "helper"));
    assert!(!shared("E0658", "use of an unstable feature", "bad"));
    // No constant without a name may stand beside a method.
    assert!(!shared("E0308", "mismatched types", "a }"));
}

#[test]
fn an_error_without_a_place_belongs_to_the_first_kernel() {
    let package = Package::new(&[("src/main.rs", "#[device] fn f() {}\n#[kernel] fn k() {}\n")]);
    let view = package.view("src/main.rs");
    let fault = RustcMessage {
        level: "error".to_owned(),
        message: "out of cheese".to_owned(),
        ..RustcMessage::default()
    };
    let errors = view.explain(&[fault]);
    assert_eq!((errors[0].owner.name.as_str(), errors[0].line, errors[0].column), ("k", 2, 14));
    assert_eq!(errors[0].message, "in device code: out of cheese");
}

#[test]
fn places_in_and_behind_shims_are_the_users() {
    let source = "mod a { #[kernel] fn k(x: f32, y: Odd) {} } mod b { #[device] fn f() { bad } }\n#[kernel] fn j(ß: Odd) {}";
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    let fault = |at: &str| {
        let errors =
            view.explain(&[message(&view, "main.rs", "E0277", "the trait bound is not satisfied", at)]);
        (errors[0].owner.name.clone(), errors[0].line, errors[0].column)
    };
    assert_eq!(fault("bad"), ("f".to_owned(), 1, 72));
    assert_eq!(fault("m1: <Odd"), ("k".to_owned(), 1, 35));
    assert_eq!(fault("demo__a__k"), ("k".to_owned(), 1, 22));
    assert_eq!(fault("p0: <Odd"), ("j".to_owned(), 2, 19));
    assert_eq!(fault("demo__j"), ("j".to_owned(), 2, 14));
}

#[test]
fn a_fault_in_a_macro_of_another_crate_stands_at_its_call() {
    let package = Package::new(&[("src/main.rs", "#[kernel] fn k() { shared!(x); }\n")]);
    let view = package.view("src/main.rs");
    let mut fault = message(&view, "main.rs", "E0308", "mismatched types", "shared");
    let call = fault.spans.remove(0);
    fault.spans.push(RustcSpan {
        file: "/elsewhere/warpweft/src/macros.rs".to_owned(),
        line: 7,
        column: 3,
        is_primary: true,
        expansion: Some(Box::new(call)),
        ..RustcSpan::default()
    });
    let errors = view.explain(&[fault]);
    assert_eq!((errors[0].line, errors[0].column), (1, 20));
}

fn early(source: &str) -> Vec<(usize, usize, String)> {
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    assert_eq!(view.explain(&[]), view.errors);
    view.errors.iter().map(|error| (error.line, error.column, error.message.clone())).collect()
}

#[test]
fn atomics_of_core_are_errors_in_device_code_only() {
    let source = "use std::sync::atomic::{AtomicUsize, AtomicU32};\nstatic N: AtomicUsize = AtomicUsize::new(0);\nfn host(a: &AtomicU32) {}\n";
    assert_eq!(early(&format!("{source}#[kernel] fn k() {{}}\n")), []);
    for (body, column) in [
        ("let a: &AtomicU32;", 28),
        ("core::sync::atomic::AtomicU8::new(0);", 40),
        ("use std::sync::atomic::AtomicI64 as A;", 43),
    ] {
        let errors = early(&format!("{source}#[kernel] fn k() {{ {body} }}\n"));
        assert_eq!(errors.len(), 1, "{body}: {errors:?}");
        assert_eq!((errors[0].0, errors[0].1), (4, column), "{body}");
        assert!(errors[0].2.contains("`Atomics<T>`"), "{errors:?}");
    }
    assert_eq!(early("#[device] struct AtomicU32; #[kernel] fn k(a: AtomicU32) {}\n"), []);
}

#[test]
fn an_early_error_is_not_said_twice() {
    let package = Package::new(&[(
        "src/main.rs",
        "use std::sync::atomic::AtomicU32;\n#[kernel] fn k() { AtomicU32::new(0); }\n",
    )]);
    let view = package.view("src/main.rs");
    let fault = message(&view, "main.rs", "E0433", "failed to resolve: use of undeclared type", "AtomicU32");
    assert_eq!(view.explain(&[fault]).len(), 1);
}

#[test]
fn statics_with_state_are_errors_in_device_code_only() {
    for (item, word) in [
        ("static mut N: u32 = 0;", "`static mut`"),
        ("static N: std::cell::Cell<u32> = todo!();", "`Cell`"),
        ("static N: Option<Mutex<u32>> = None;", "`Mutex`"),
    ] {
        assert_eq!(early(&format!("{item}\n#[kernel] fn k() {{}}\n")), [], "{item}");
        let errors = early(&format!("#[device]\n{item}\n"));
        assert_eq!(errors.len(), 1, "{item}: {errors:?}");
        assert!(errors[0].2.contains(word) && errors[0].2.contains("`Shared<T>`"), "{errors:?}");
        let errors = early(&format!("#[kernel] fn k() {{ {item} }}\n"));
        assert_eq!(errors.len(), 1, "{item}: {errors:?}");
    }
    assert_eq!(early("#[device] static N: [f32; 4] = [0.0; 4];\n"), []);
}
