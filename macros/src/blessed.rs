//! Compares expansions with the blessed ones in `tests/expansions`: `NAME.rs` expands to `NAME.expanded.rs`.
//! `WARPWEFT_BLESS=1 cargo test -p warpweft-macros` writes them anew.

use std::path::Path;
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::element::{self, Marker};
use crate::unit::Unit;
use crate::{device, kernel, testing};

/// The macros of this crate, as they are spelt in the files.
const ATTRIBUTES: [&str; 5] =
    ["kernel", "device", "warpweft :: test", "derive (Element)", "derive (KernelArg)"];

/// Takes the attribute out of the item: its spelling and the rest.
fn split(text: &str) -> (&'static str, TokenStream) {
    let mut trees: Vec<TokenTree> = TokenStream::from_str(text).unwrap().into_iter().collect();
    for at in 0..trees.len() {
        if let TokenTree::Group(group) = &trees[at]
            && group.delimiter() == Delimiter::Bracket
            && let Some(found) = ATTRIBUTES.into_iter().find(|name| *name == group.stream().to_string())
        {
            trees.drain(at - 1..=at);
            return (found, trees.into_iter().collect());
        }
    }
    panic!("no attribute in {text}");
}

fn expand(text: &str, unit: &Unit) -> String {
    let none = TokenStream::new();
    let (attribute, item) = split(text);
    let expanded = match attribute {
        "kernel" => kernel::expand(none, item, unit),
        "device" => device::expand(none, item, unit),
        "derive (Element)" => element::expand(Marker::Element, item),
        "derive (KernelArg)" => element::expand(Marker::KernelArg, item),
        _ => testing::expand(none, item),
    };
    let file = syn::parse2(expanded.clone()).unwrap_or_else(|error| panic!("{error} in {expanded}"));
    prettyplease::unparse(&file)
}

#[test]
fn expansions_are_the_blessed_ones() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let unit = Unit {
        crate_name: Some("demo".to_owned()),
        out_dir: Some(dir.join("table")),
        manifest_dir: Some(dir.clone()),
        primary: true,
        ..Unit::default()
    };
    let bless = std::env::var_os("WARPWEFT_BLESS").is_some();
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rs") && !name.ends_with(".expanded.rs"))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let expanded = expand(&std::fs::read_to_string(dir.join(&name)).unwrap(), &unit);
        let blessed = dir.join(name.replace(".rs", ".expanded.rs"));
        if bless {
            std::fs::write(&blessed, &expanded).unwrap();
        } else if std::fs::read_to_string(&blessed).ok().as_ref() != Some(&expanded) {
            wrong.push(format!("{}:\n{expanded}", blessed.display()));
        }
    }
    assert!(wrong.is_empty(), "not as blessed:\n{}", wrong.join("\n"));
}

#[test]
fn safe_kernels_expand_without_unsafe() {
    let text = "#[kernel] fn k(x: &[f32], tile: Shared<[f32; 4]>, mut y: DisjointSlice<f32>) {}";
    let expanded = expand(text, &Unit { crate_name: Some("demo".to_owned()), docs: true, ..Unit::default() });
    assert!(!expanded.contains("unsafe"), "{expanded}");
}
