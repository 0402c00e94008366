//! Finds an annotated item in the build helper's table: by the name of its target, its own name, and its place.

use std::path::{Path, PathBuf};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::table::{ErrorRow, Place, Table, Target, UnparsedRow};
use crate::unit::Unit;

/// An annotated item: its name, and where the name stands if the compiler told.
pub struct Item {
    pub name: String,
    pub place: Option<(PathBuf, usize, usize)>,
}

/// The part of a crate's two forms, with and without `cfg(test)`, that something holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Any,
    Plain,
    Test,
}

/// What the table says of one kernel in one form of the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The kernel's entry in a PTX image.
    Image { symbol: String, file: String, id: u64 },
    /// The device build of the target failed, and its errors are reported where they belong.
    Failed,
    /// The helper could not parse a file of the target, so that it may not have seen the kernel. The host compiler
    /// most probably says the same.
    Unparsed(String),
    /// The helper did not see the kernel.
    Absent(String),
}

impl Item {
    /// The item whose name is `name`.
    pub fn new(name: &Ident) -> Self {
        let span = name.span();
        let file = span.local_file();
        let start = span.start();
        Self {
            name: syn::ext::IdentExt::unraw(name).to_string(),
            place: file.map(|file| (file, start.line, start.column + 1)),
        }
    }
}

impl Form {
    /// The attribute that keeps an item in this form of the crate.
    pub fn cfg(self) -> TokenStream {
        match self {
            Self::Any => TokenStream::new(),
            Self::Plain => quote!(#[cfg(not(test))]),
            Self::Test => quote!(#[cfg(test)]),
        }
    }
}

/// A table seen from one compilation.
pub struct View<'a> {
    unit: &'a Unit,
    table: &'a Table,
    targets: Vec<&'a Target>,
}

impl<'a> View<'a> {
    pub fn new(unit: &'a Unit, table: &'a Table) -> Self {
        let of_crate =
            || table.targets.iter().filter(|target| Some(&target.crate_name) == unit.crate_name.as_ref());
        let runs = |target: &&Target| matches!(target.kind.as_str(), "bin" | "example");
        let mut targets: Vec<_> =
            of_crate().filter(|target| runs(target) == unit.bin_name.is_some()).collect();
        if targets.is_empty() {
            targets = of_crate().collect();
        }
        Self { unit, table, targets }
    }

    /// The kernel in the plain form of the crate and under `cfg(test)`.
    pub fn kernel(&self, item: &Item) -> [Found; 2] {
        [false, true].map(|test| self.kernel_in(item, test))
    }

    fn kernel_in(&self, item: &Item, test: bool) -> Found {
        // An integration test has no plain form and an example perhaps none under `cfg(test)`: the other one
        // then stands for it.
        let test = if self.targets.iter().any(|target| target.test == test) { test } else { !test };
        let mut candidates: Vec<_> = self
            .table
            .kernels
            .iter()
            .filter(|row| self.is_item(item, &row.name, &row.place))
            .filter_map(|row| {
                let target =
                    self.targets.iter().find(|target| target.key == row.key && target.test == test)?;
                Some((row, *target))
            })
            .collect();
        if candidates.len() > 1
            && let Some((file, ..)) = &item.place
        {
            let here = |place: &Place| self.same_file(&place.file, file);
            if candidates.iter().any(|(row, _)| here(&row.place)) {
                candidates.retain(|(row, _)| here(&row.place));
            }
        }
        match candidates.first() {
            Some((row, target)) if target.built => Found::Image {
                symbol: row.symbol.clone(),
                file: target.image_file.clone(),
                id: target.image_id,
            },
            Some(_) => Found::Failed,
            None if self.unit.editor => Found::Failed,
            None => match self.unparsed(item) {
                Some(message) => Found::Unparsed(message),
                None => Found::Absent(self.absent(item)),
            },
        }
    }

    fn unparsed(&self, item: &Item) -> Option<String> {
        let of_targets = |row: &&UnparsedRow| self.targets.iter().any(|target| target.key == row.key);
        let UnparsedRow { place, message, .. } = self.table.unparsed.iter().find(of_targets)?;
        let (name, Place { file, line, column }) = (&item.name, place);
        Some(format!(
            "kernel `{name}` was not compiled for the GPU: the build helper does not understand \
             {file}:{line}:{column}: {message}"
        ))
    }

    fn absent(&self, item: &Item) -> String {
        let name = &item.name;
        if self.targets.is_empty() {
            let crate_name = self.unit.crate_name.as_deref().unwrap_or("?");
            return format!(
                "kernel `{name}` was not compiled for the GPU: the build helper did not see the crate `{crate_name}`"
            );
        }
        format!(
            "kernel `{name}` was not compiled for the GPU: the build helper did not see it, since it is made by a \
             macro or `include!`, or stands inside a function; write it as an ordinary function of a module"
        )
    }

    /// Whether denied lints are errors in this compilation.
    pub fn lints(&self) -> bool {
        self.unit.primary
    }

    /// The errors that the item reports, each once.
    pub fn errors(&self, item: &Item) -> Vec<(Form, &'a ErrorRow)> {
        let mut found: Vec<(Form, &ErrorRow)> = Vec::new();
        for row in self.table.errors.iter().filter(|row| self.is_item(item, &row.owner, &row.owner_place)) {
            let Some(target) = self.targets.iter().find(|target| target.key == row.key) else { continue };
            let form = if self.targets.iter().all(|other| other.test == target.test) {
                Form::Any
            } else if target.test {
                Form::Test
            } else {
                Form::Plain
            };
            match found.iter_mut().find(|(_, old)| old.place == row.place && old.message == row.message) {
                Some((known, _)) if *known != form => *known = Form::Any,
                Some(_) => {}
                None => found.push((form, row)),
            }
        }
        found
    }

    fn is_item(&self, item: &Item, name: &str, place: &Place) -> bool {
        item.name == name
            && match &item.place {
                Some((_, line, column)) if !self.unit.editor => {
                    (*line, *column) == (place.line, place.column)
                }
                _ => true,
            }
    }

    /// Whether the helper's spelling of a file and the compiler's mean the same file.
    fn same_file(&self, helper: &str, compiler: &Path) -> bool {
        let helper = Path::new(helper);
        if compiler.ends_with(helper) || helper.ends_with(compiler) {
            return true;
        }
        let whole = self.unit.manifest_dir.as_ref().map_or(helper.to_owned(), |dir| dir.join(helper));
        matches!((whole.canonicalize(), compiler.canonicalize()), (Ok(a), Ok(b)) if a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package with a library and a bin of one name, an integration test and an example.
    fn table() -> Table {
        let mut text = String::from("warpweft-table\t1\nmode\tptx\n");
        for (key, kind, name, test) in [
            ("l0", "lib", "demo", 0),
            ("l1", "lib", "demo", 1),
            ("b0", "bin", "demo", 0),
            ("b1", "bin", "demo", 1),
            ("t1", "test", "whole", 1),
            ("e0", "example", "show", 0),
        ] {
            text += &format!("target\t{key}\t{kind}\t{name}\t{test}\t{key}.ptx\tff\tok\n");
        }
        for (key, name, file, line, symbol) in [
            ("l0", "k", "src/lib.rs", 3, "lib_k"),
            ("l1", "k", "src/lib.rs", 3, "lib_k"),
            ("l0", "k", "src/deep/other.rs", 3, "other_k"),
            ("l1", "k", "src/deep/other.rs", 3, "other_k"),
            ("l1", "only_test", "src/lib.rs", 9, "only_test"),
            ("b0", "k", "src/main.rs", 3, "bin_k"),
            ("b1", "k", "src/main.rs", 3, "bin_k"),
            ("t1", "k", "tests/whole.rs", 5, "whole_k"),
            ("e0", "k", "examples/show.rs", 5, "show_k"),
        ] {
            text += &format!("kernel\t{key}\t{name}\t{file}\t{line}\t4\t{symbol}\n");
        }
        Table::parse(&text).unwrap()
    }

    fn symbols(crate_name: &str, bin: bool, name: &str, place: Option<(&str, usize)>) -> [String; 2] {
        let unit = Unit {
            crate_name: Some(crate_name.to_owned()),
            bin_name: bin.then(|| crate_name.to_owned()),
            ..Unit::default()
        };
        let table = table();
        let place = place.map(|(file, line)| (PathBuf::from(file), line, 4));
        View::new(&unit, &table).kernel(&Item { name: name.to_owned(), place }).map(|found| match found {
            Found::Image { symbol, file, .. } => format!("{symbol} in {file}"),
            Found::Failed => "failed".to_owned(),
            Found::Unparsed(_) => "unparsed".to_owned(),
            Found::Absent(_) => "absent".to_owned(),
        })
    }

    #[test]
    fn a_kernel_is_found_by_target_name_and_place() {
        let found = symbols("demo", false, "k", Some(("package/src/lib.rs", 3)));
        assert_eq!(found, ["lib_k in l0.ptx", "lib_k in l1.ptx"]);
        let found = symbols("demo", true, "k", Some(("package/src/main.rs", 3)));
        assert_eq!(found, ["bin_k in b0.ptx", "bin_k in b1.ptx"]);
    }

    #[test]
    fn the_file_decides_between_equal_places() {
        let found = symbols("demo", false, "k", Some(("/home/u/package/src/deep/other.rs", 3)));
        assert_eq!(found, ["other_k in l0.ptx", "other_k in l1.ptx"]);
    }

    #[test]
    fn another_line_is_another_kernel() {
        assert_eq!(symbols("demo", false, "k", Some(("src/lib.rs", 4))), ["absent", "absent"]);
        assert_eq!(symbols("demo", false, "other", None), ["absent", "absent"]);
    }

    #[test]
    fn a_compiler_that_tells_no_place_gets_the_name() {
        assert_eq!(symbols("demo", true, "k", None), ["bin_k in b0.ptx", "bin_k in b1.ptx"]);
    }

    #[test]
    fn a_kernel_under_cfg_test_has_no_plain_form() {
        let found = symbols("demo", false, "only_test", Some(("src/lib.rs", 9)));
        assert_eq!(found, ["absent", "only_test in l1.ptx"]);
    }

    #[test]
    fn a_target_with_one_form_uses_it_for_both() {
        let found = symbols("whole", false, "k", Some(("tests/whole.rs", 5)));
        assert_eq!(found, ["whole_k in t1.ptx", "whole_k in t1.ptx"]);
        let found = symbols("show", true, "k", Some(("examples/show.rs", 5)));
        assert_eq!(found, ["show_k in e0.ptx", "show_k in e0.ptx"]);
    }

    #[test]
    fn a_kernel_in_a_target_that_does_not_parse_is_left_to_the_host_compiler() {
        let table = Table::parse(
            "warpweft-table\t1\nmode\tptx\n\
             target\tb0\tbin\tbroken\t0\t\t\tempty\n\
             unparsed\tb0\tsrc/main.rs\t7\t9\texpected an expression\n\
             target\tl0\tlib\tsound\t0\t\t\tempty\n",
        )
        .unwrap();
        let find = |name: &str, bin: bool| {
            let bin_name = bin.then(|| name.to_owned());
            let unit = Unit { crate_name: Some(name.to_owned()), bin_name, ..Unit::default() };
            let [found, _] = View::new(&unit, &table).kernel(&Item { name: "k".to_owned(), place: None });
            found
        };
        let Found::Unparsed(message) = find("broken", true) else { panic!("it is told at once") };
        assert!(message.ends_with("understand src/main.rs:7:9: expected an expression"), "{message}");
        assert!(matches!(find("sound", false), Found::Absent(_)), "a fault of another target");
    }

    #[test]
    fn a_crate_that_the_helper_did_not_see_is_named() {
        let unit = Unit { crate_name: Some("stranger".to_owned()), ..Unit::default() };
        let table = table();
        let [found, _] = View::new(&unit, &table).kernel(&Item { name: "k".to_owned(), place: None });
        let Found::Absent(message) = found else { panic!("{found:?}") };
        assert!(message.contains("`stranger`"), "{message}");
    }
}
