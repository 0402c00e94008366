//! Which items stay, and what of their attributes.

use super::support::Package;

/// The view of one file, each line without the white space at its ends, empty lines left out, up to the shims.
fn lines(source: &str) -> Vec<String> {
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    assert_eq!(view.unparsed, []);
    let text = super::support::text(&view, &package, "src/main.rs");
    let own = text.lines().take(source.lines().count());
    own.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn every_kind_of_item_can_be_marked() {
    let source = "
#[device] fn f() {}
#[device] struct S;
#[device] enum E { A }
#[device] union U { a: u32 }
#[device] const C: u32 = 1;
#[device] static T: u32 = 1;
#[device] impl S {}
#[device] trait Tr { fn f(&self); }
#[device] type A = u32;
#[device] mod m { fn g() {} }
fn host() {} struct H; enum I {} const J: u32 = 1; static K: u32 = 2; type L = u32; trait M {} impl M for H {}
";
    let expected: Vec<&str> = source.lines().filter_map(|line| line.strip_prefix("#[device] ")).collect();
    assert_eq!(lines(source), expected);
}

#[test]
fn the_attribute_has_several_spellings() {
    for spelling in [
        "device",
        "warpweft::device",
        "::warpweft::device",
        "cfg_attr(all(), device)",
        "cfg_attr(all(), inline, warpweft::device)",
    ] {
        let found = lines(&format!("#[{spelling}]\nfn f() {{}}\n"));
        assert_eq!(found.last().map(String::as_str), Some("fn f() {}"), "{spelling}");
        assert!(!found.concat().contains("device"), "{found:?}");
    }
    assert_eq!(lines("#[other::device]\nfn f() {}\n#[kernel]\nfn k() {}\n"), ["fn k() {}"]);
}

#[test]
fn a_condition_that_is_false_on_the_device_removes_the_item() {
    let source = "
#[cfg(sim)] #[device] fn a() {}
#[cfg(not(target_arch = \"nvptx64\"))] #[device] fn b() {}
#[cfg_attr(unix, device)] fn c() {}
#[cfg(all(test, feature = \"x\"))] #[device] fn d() {}
#[cfg(any(feature = \"x\", not(sim)))] #[device] fn e() {}
#[cfg(feature = \"x\")] #[device] fn f() {}
";
    let expected = ["#[cfg(any(feature = \"x\", not(sim)))] fn e() {}", "#[cfg(feature = \"x\")] fn f() {}"];
    assert_eq!(lines(source), expected);
}

#[test]
fn derives_outside_core_are_blanked() {
    let source = "
#[derive(Debug, serde::Serialize, Clone, KernelArg, Copy)] #[device] struct A;
#[derive(Serialize, std::hash::Hash, ::core::cmp::PartialEq, other::Debug)] #[device] struct B;
#[derive(Serialize)] #[device] struct C;
#[cfg_attr(feature = \"serde\", derive(Serialize, Default), serde(default))] #[device] struct D;
#[cfg_attr(feature = \"serde\", derive(serde::Serialize))] #[device] struct E;
#[cfg_attr(all(), cfg_attr(all(), derive(Clone, Serialize)))] #[device] struct F;
";
    let expected = [
        "#[derive(Debug, Clone, Copy)] struct A;",
        "#[derive( std::hash::Hash, ::core::cmp::PartialEq, )] struct B;",
        "struct C;",
        "#[cfg_attr(feature = \"serde\", derive( Default), )] struct D;",
        "struct E;",
        "#[cfg_attr(all(), cfg_attr(all(), derive(Clone, )))] struct F;",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn a_derive_alone_marks_a_type() {
    let source = "
#[derive(Clone, Copy, KernelArg)] #[repr(C)] struct A { #[serde(skip)] a: f32, /** b */ b: u32 }
#[derive(Clone, Copy, warpweft::Element)] #[repr(C)] struct B(f32);
#[cfg_attr(feature = \"gpu\", derive(Element))] struct C(f32);
#[derive(Clone, other::Element)] struct D(f32);
";
    let expected = [
        "#[derive(Clone, Copy, )] #[repr(C)] struct A { a: f32, b: u32 }",
        "#[derive(Clone, Copy, )] #[repr(C)] struct B(f32);",
        "struct C(f32);",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn attributes_that_rustc_does_not_define_are_blanked_everywhere() {
    let source = "
#[device] #[inline(always)] #[must_use] #[deny(unused)] #[cfg(feature = \"x\")] #[rustfmt::skip] #[doc(alias = \"x\")]
fn f(#[cfg(all())] x: u32) { #[unroll(4)] for _ in 0..4 {} #[allow(unused)] let y = 1; #[device] fn inner() {} }
#[device] enum E { #[default] #[serde(rename = \"b\")] A, #[strum] B }
#[device] trait T { /// Doc.
#[must_use] fn f(&self); }
";
    let expected = [
        "#[inline(always)] #[cfg(feature = \"x\")]",
        "fn f(#[cfg(all())] x: u32) { for _ in 0..4 {} #[allow(unused)] let y = 1; fn inner() {} }",
        "enum E { #[default] A, B }",
        "trait T {",
        "fn f(&self); }",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn an_unmarked_impl_keeps_its_marked_methods() {
    let source = "
#[device] struct S;
#[allow(clippy::all)] #[foo] impl<T: Copy> S<T> where T: Sized { fn a() {} #[device] fn b() {} const N: u32 = 1; #[device] const M: u32 = 2; }
impl S { fn c() {} }
impl Add for S { #[device] type Output = S; #[device] #[inline] fn add(self, o: S) -> S { o } }
";
    let expected = [
        "struct S;",
        "#[allow(clippy::all)] impl<T: Copy> S<T> where T: Sized { fn b() {} const M: u32 = 2; }",
        "impl Add for S { type Output = S; #[inline] fn add(self, o: S) -> S { o } }",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn a_marked_module_keeps_what_is_in_it_but_tests_and_host_imports() {
    let source = "
#[device] mod m {
    use std::{collections::HashMap, ops::Add};
    pub fn f() {}
    mod inner { const N: u32 = 1; }
    #[test] fn t() {}
    #[cfg(test)] mod tests { fn t() {} }
    op!(Add);
}
";
    let expected = [
        "mod m {",
        "use std::{ ops::Add};",
        "pub fn f() {}",
        "mod inner { const N: u32 = 1; }",
        "op!(Add);",
        "}",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn macros_stay_without_attributes_that_only_procedural_macros_understand() {
    let source = "
#[macro_export] macro_rules! a { ($(#[$m:meta])* $n:ident) => { #[device] #[inline] $(#[$m])* fn $n() {} #[derive(Clone, Element)] struct S; } }
a!(host);
#[kernel] fn k() { a!(x); }
";
    let expected = [
        "#[macro_export] macro_rules! a { ($(#[$m:meta])* $n:ident) => { #[inline] $(#[$m])* fn $n() {} #[derive(Clone, )] struct S; } }",
        "fn k() { a!(x); }",
    ];
    assert_eq!(lines(source), expected);
}

#[test]
fn a_crate_without_device_code_has_an_empty_view_and_asks_nobody() {
    let probe = super::support::Listed::default();
    for source in
        ["fn main() {}", "mod kernel; fn device() {} macro_rules! m { () => {} } use std::fmt;", "mod x;"]
    {
        let package = Package::new(&[("src/main.rs", source), ("src/x.rs", "pub use std::mem;")]);
        let view = crate::view::make(&package.target("src/main.rs"), &probe).expect("it parses");
        assert!(view.files.is_empty() && view.kernels.is_empty() && view.device_items.is_empty(), "{view:?}");
        assert!(view.watched.contains(&package.dir.join("src/main.rs")));
    }
    assert!(probe.asked.borrow().is_empty());
}

#[test]
fn kernels_in_bodies_and_macros_are_not_seen() {
    let source = "
fn host() { #[kernel] fn a() {} }
kernels! { #[kernel] fn b() {} }
include!(\"kernels.rs\");
struct S; impl S { #[kernel] fn c() {} }
#[kernel] fn d() {}
";
    let package = Package::new(&[("src/main.rs", source), ("src/kernels.rs", "#[kernel] fn e() {}")]);
    let view = package.view("src/main.rs");
    let names: Vec<&str> = view.kernels.iter().map(|kernel| kernel.owner.name.as_str()).collect();
    assert_eq!(names, ["d"]);
    assert_eq!(lines(source), ["fn d() {}"]);
}
