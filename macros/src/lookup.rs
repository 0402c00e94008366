//! Finds an annotated item in the build helper's table: by the name of its target, its own name, and its place.

use std::path::{Path, PathBuf};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::table::{ErrorRow, Place, Table, Target};
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
    /// The attribute that keeps an item for device builds of this form.
    pub fn cfg(self) -> TokenStream {
        match self {
            Self::Any => quote!(#[cfg(not(sim))]),
            Self::Plain => quote!(#[cfg(all(not(sim), not(test)))]),
            Self::Test => quote!(#[cfg(all(not(sim), test))]),
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
            None => Found::Absent(self.absent(item)),
        }
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
