//! Which imports stay.

use super::support::{Listed, Package, text};
use crate::view::make;

/// The first line of a root file that holds `import` and a kernel.
fn import(import: &str, rest: &str) -> String {
    let package = Package::new(&[("src/main.rs", &format!("{import}\n#[kernel] fn k() {{}}\n{rest}"))]);
    let view = package.view("src/main.rs");
    let line = text(&view, &package, "src/main.rs").lines().next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn names_of_other_crates_stay_where_the_probe_finds_them() {
    for (written, kept) in [
        ("use std::ops::Add;", "use std::ops::Add;"),
        ("use std::collections::HashMap;", ""),
        ("use std::{collections::HashMap, ops::Add, io};", "use std::{ ops::Add, };"),
        ("use std::{collections::{HashMap, HashSet}, fmt::{self, Write}};", "use std::{ fmt::{self, }};"),
        ("use ::std::ops::{Add as Plus, Missing as _};", "use ::std::ops::{Add as Plus, };"),
        ("use std::ops::Add as _;", "use std::ops::Add as _;"),
        ("use std::f32::consts::*;", "use std::f32::consts::*;"),
        ("use std::collections::*;", ""),
        ("use warpweft::prelude::*;", "use warpweft::prelude::*;"),
        ("use warpweft::{kernel, DisjointSlice};", "use warpweft::{ DisjointSlice};"),
        ("use serde::Serialize;", ""),
        ("use half::f16;", "use half::f16;"),
        ("pub(crate) use std::mem;", "pub(crate) use std::mem;"),
        (
            "#[cfg(feature = \"a\")] #[doc(hidden)] pub use std::mem;",
            "#[cfg(feature = \"a\")] pub use std::mem;",
        ),
    ] {
        assert_eq!(import(written, ""), kept, "{written}");
    }
}

#[test]
fn only_leaves_that_may_exist_are_asked_for_and_each_once() {
    let package = Package::new(&[(
        "src/main.rs",
        "use serde::Serialize; use std::ops::Add; use std::fmt::{self}; mod host { use std::io; pub use std::fs; }\n\
         #[device] mod m { use std::ops::Add; use super::*; }",
    )]);
    let probe = Listed::default();
    make(&package.target("src/main.rs"), &probe).expect("it parses");
    assert_eq!(*probe.asked.borrow(), ["std::fmt::{self}", "std::fs", "std::ops::Add"]);
}

#[test]
fn local_names_stay_where_their_items_do() {
    let rest = "
mod a { #[device] pub fn f() {} pub fn host() {} pub mod b { #[device] pub enum E { X } pub struct H; } pub mod h { pub fn g() {} } }
#[device] fn own() {}
macro_rules! m { () => {} }
";
    for (written, kept) in [
        ("use a::f;", "use a::f;"),
        ("use crate::a::{f as g, host};", "use crate::a::{f as g, };"),
        ("use self::a::b::{E, H};", "use self::a::b::{E, };"),
        ("use a::b::E::*;", "use a::b::E::*;"),
        ("use a::b::E::X;", "use a::b::E::X;"),
        ("use a::b;", "use a::b;"),
        ("use a::{self as other, h, h::*, b::*};", "use a::{self as other, b::*};"),
        ("use a::missing;", ""),
        ("use r#a::r#f;", "use r#a::r#f;"),
        ("pub(crate) use m;", "pub(crate) use m;"),
    ] {
        assert_eq!(import(written, rest), kept, "{written}");
    }
}

#[test]
fn imports_are_followed_through_re_exports() {
    let package = Package::new(&[
        (
            "src/lib.rs",
            "mod math; mod prelude;\nmod user {\n  use crate::prelude::{length, HashMap, pi, Vec3};\n  use super::prelude::*;\n  \
             use super::Vec3 as V;\n  #[kernel] fn k() {}\n}\npub use math::Vec3;\n",
        ),
        ("src/math.rs", "#[device] pub fn length() {}\n#[device] pub struct Vec3;\npub fn host() {}\n"),
        (
            "src/prelude.rs",
            "pub use crate::math::*;\npub use std::collections::HashMap;\npub use std::f32::consts::PI as pi;\npub use super::math::host;\n",
        ),
    ]);
    let view = package.view("src/lib.rs");
    let lines: Vec<&str> = text(&view, &package, "src/lib.rs").lines().map(str::trim).collect();
    assert_eq!(lines[2], "use crate::prelude::{length,          pi, Vec3};");
    assert_eq!(lines[3], "use super::prelude::*;");
    assert_eq!(lines[4], "use super::Vec3 as V;");
    assert_eq!(lines[7], "pub use math::Vec3;");
    let lines: Vec<&str> = text(&view, &package, "src/prelude.rs").lines().map(str::trim).collect();
    assert_eq!(lines, ["pub use crate::math::*;", "", "pub use std::f32::consts::PI as pi;", ""]);
}

#[test]
fn a_module_of_re_exports_alone_is_in_the_view_and_one_of_host_names_is_not() {
    let package = Package::new(&[(
        "src/lib.rs",
        "mod p { pub use std::mem; }\nmod q { pub use std::io; }\nmod r { use std::mem; }\n#[kernel] fn k() {}\n",
    )]);
    let view = package.view("src/lib.rs");
    let lines: Vec<&str> = text(&view, &package, "src/lib.rs").lines().take(3).map(str::trim).collect();
    assert_eq!(lines, ["mod p { pub use std::mem; }", "", ""]);
}

#[test]
fn a_name_that_comes_through_a_glob_is_asked_for_there() {
    assert_eq!(import("use thread::index;", "use warpweft::prelude::*;"), "use thread::index;");
    assert_eq!(import("use thread::missing;", "use warpweft::prelude::*;"), "");
}

#[test]
fn circles_of_imports_end() {
    let rest = "mod a { pub use super::b::*; pub use super::b::x; } mod b { pub use super::a::*; pub use super::a::x; }";
    assert_eq!(import("use a::x;", rest), "");
    assert_eq!(import("use half;", ""), "");
}

#[test]
fn a_crate_may_be_renamed() {
    assert_eq!(import("use h::f16;", "extern crate half as h;"), "use h::f16;");
    assert_eq!(import("extern crate half as h;", ""), "extern crate half as h;");
    assert_eq!(import("extern crate serde;", ""), "");
    assert_eq!(import("extern crate std;", ""), "");
}

#[test]
fn atomics_of_core_are_not_imported_but_their_orderings_are() {
    assert_eq!(
        import("use std::sync::atomic::{AtomicU32, Ordering, AtomicBool};", ""),
        "use std::sync::atomic::{ Ordering, };"
    );
    assert_eq!(import("use std::sync::atomic;", ""), "");
    assert_eq!(import("use core::sync::atomic::*;", ""), "");
}
