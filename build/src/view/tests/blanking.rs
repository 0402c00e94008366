//! Blanking keeps every line and column, whatever the file looks like.

use super::support::{Package, text};

/// A file as people write them: a kernel between host code.
const MIXED: &str = r#"use std::collections::HashMap; // Größe
use warpweft::prelude::*;

/* ß */ fn host() -> HashMap<u8, &'static str> { println!("größe {}", '"'); HashMap::new() }

/* ß */ #[kernel] fn k(x: &[f32], mut y: DisjointSlice<f32>) {
	let größe = "ß"; // stays
    if let Some(y) = y.get_mut(&thread::index()) { *y = x[0]; }
}
"#;

fn mixed(text: &str) -> String {
    let package = Package::new(&[("src/main.rs", text)]);
    let view = package.view("src/main.rs");
    assert_eq!(view.kernels.len(), 1, "{:?}", view.unparsed);
    super::support::text(&view, &package, "src/main.rs").to_owned()
}

/// Every line of the view that the source has too is as long, and blank or equal character by character.
fn assert_true_places(source: &str, view: &str) {
    let source: Vec<&str> = source.split('\n').collect();
    let view: Vec<&str> = view.split('\n').collect();
    assert!(view.len() >= source.len(), "{view:?}");
    for (number, (source, view)) in source.iter().zip(&view).enumerate().take(source.len() - 1) {
        assert_eq!(source.chars().count(), view.chars().count(), "line {}: {view:?}", number + 1);
        for (column, (s, v)) in source.chars().zip(view.chars()).enumerate() {
            let place = (number + 1, column + 1);
            assert!(v == s || v == ' ' && !s.is_ascii_whitespace(), "{place:?}: {s:?} became {v:?}");
        }
    }
}

#[test]
fn lines_and_columns_stay() {
    let view = mixed(MIXED);
    assert_true_places(MIXED, &view);
    let lines: Vec<&str> = view.lines().collect();
    assert_eq!(lines[0].trim(), "");
    assert_eq!(lines[1], "use warpweft::prelude::*;");
    assert_eq!(lines[3].trim(), "");
    assert_eq!(lines[5], "                  fn k(x: &[f32], mut y: DisjointSlice<f32>) {");
    assert_eq!(lines[6], "\tlet größe = \"ß\"; // stays");
}

#[test]
fn carriage_returns_stay() {
    let source = MIXED.replace('\n', "\r\n");
    let view = mixed(&source);
    assert_true_places(&source, &view);
    assert!(view.contains("fn k(x: &[f32], mut y: DisjointSlice<f32>) {\r\n\tlet größe"), "{view}");
}

#[test]
fn a_byte_order_mark_has_no_column() {
    let view = mixed(&format!("\u{feff}{MIXED}"));
    assert_true_places(MIXED, &view);
    assert!(!view.contains('\u{feff}'));
}

#[test]
fn an_interpreter_line_is_blanked() {
    for mark in ["", "\u{feff}"] {
        let line = "#!/usr/bin/env -S größe\n";
        let view = mixed(&format!("{mark}{line}{MIXED}"));
        assert_true_places(&format!("{line}{MIXED}"), &view);
        assert!(view.lines().nth(6).is_some_and(|line| line.contains("fn k(x")), "{view}");
    }
}

#[test]
fn an_inner_attribute_is_no_interpreter_line() {
    let source = format!("#! /* c */ [recursion_limit = \"256\"]\n{MIXED}");
    let view = mixed(&source);
    assert!(view.starts_with("#! /* c */ [recursion_limit = \"256\"]\n"), "{view}");
}

#[test]
fn inner_attributes_and_doc_comments_go_but_cfg_and_recursion_limit() {
    let view = mixed(&format!("//! Doc.\n#![deny(warnings)]\n#![cfg(all())]\n/*! more */\n{MIXED}"));
    let lines: Vec<&str> = view.lines().take(4).map(str::trim).collect();
    assert_eq!(lines, ["", "", "#![cfg(all())]", ""]);
}

#[test]
fn white_space_that_only_unicode_knows_is_one_space() {
    let source = "fn host() { /* \u{a0}\u{2028}\u{3000} */ }\n#[kernel] fn k() {}\n";
    let view = mixed(source);
    assert_true_places(source, &view);
    assert!(view.lines().next().is_some_and(|line| line.chars().all(|c| c == ' ')));
}

#[test]
fn a_file_without_a_last_newline_gets_its_shims_on_a_new_line() {
    let view = mixed("#[kernel] fn k() {} // ß");
    let lines: Vec<&str> = view.lines().collect();
    assert_eq!(lines[0].trim(), "fn k() {}");
    assert!(lines[1].contains("fn demo__k("), "{view}");
    assert!(lines[2].starts_with("extern crate core as std;"), "{view}");
}

/// Pieces of source, and whether they are device code.
const PIECES: &[(&str, bool)] = &[
    ("#[kernel]\nfn NAME(x: &[f32]) { let s = \"}ß{\"; let c = '\\''; }", true),
    ("fn NAME() { let s = r#\"#[kernel] fn x() {}\"#; vec![1, 2]; }", false),
    (
        "/// ünï\n#[derive(Clone, Debug, serde::Serialize)]\n#[device]\nstruct NAME { #[serde(rename = \"ß\")] a: u32 }",
        true,
    ),
    ("/** block\n doc */ pub struct NAME<'a, T: 'a>(&'a T);", false),
    ("// a comment with #[kernel] in it", false),
    ("/* nested /* comment */ \u{1F980} */", false),
    ("#[device]\nconst NAME: &str = \"a\\\n  b\";", true),
    ("static NAME: &[u8] = b\"\\xff\\\"\";", false),
    ("#[device] impl NAME { fn f(&self) -> u32 { match 1 { _ => 2 } } }", true),
    ("impl NAME { fn host() {} #[device] fn dev(r#type: u8) { /* ß */ } }", true),
    ("macro_rules! NAME { ($x:expr) => { $x + 1 }; }", true),
    ("mod NAME { fn host() {} #[kernel] fn inner(x: f32) {} }", true),
    ("use std::{fmt, ops::{Add, Sub}};", false),
    ("async fn NAME() { std::future::ready(()).await }", false),
    ("thread_local! { static NAME: u8 = 1; }", false),
];

/// Puts pieces together in every kind of order, and holds each text against its view.
#[test]
fn random_files_keep_their_places() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..300 {
        let mut source = String::from("#[kernel] fn first() {}\n");
        let mut kept = Vec::new();
        let newline = if random(2) == 0 { "\n" } else { "\r\n" };
        for number in 0..random(12) {
            let (piece, device) = PIECES[random(PIECES.len())];
            let name = format!("name{number}");
            let piece = piece.replace("NAME", &name).replace('\n', newline);
            source += &piece;
            source += if piece.starts_with("//") || random(3) > 0 { newline } else { " " };
            if device {
                kept.push(name);
            }
        }
        let package = Package::new(&[("src/main.rs", &source)]);
        let view = package.view("src/main.rs");
        assert_eq!(view.unparsed, []);
        let view = text(&view, &package, "src/main.rs");
        assert_true_up_to_shims(&source, view);
        for name in kept {
            assert!(view.contains(&name), "{name} is lost:\n{source}\n{view}");
        }
        for host in
            ["Serialize", "serde", "vec!", "thread_local", "await", "#[device]", "#[kernel]\n", "host()"]
        {
            assert!(!view.contains(host), "{host} stayed:\n{source}\n{view}");
        }
    }
}

/// As `assert_true_places`, shims before closing braces left out.
fn assert_true_up_to_shims(source: &str, view: &str) {
    let mut bare = String::new();
    let mut rest = view;
    while let Some(at) = rest.find("#[unsafe(no_mangle)]") {
        bare += &rest[..at];
        let shim = &rest[at..];
        let end = shim.find("} }").map_or(shim.len(), |end| end + 3);
        // A shim before a brace is followed by a space of its own.
        rest = shim[end..].strip_prefix(' ').unwrap_or(&shim[end..]);
    }
    bare += rest;
    assert_true_places(source, &bare);
}
