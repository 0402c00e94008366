//! Writing the text of the view: marking what stays of each file, and adding the shims.

use std::ops::Range;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{ImplItem, Item, UseTree};

use super::attrs::Filter;
use super::marks::{Known, Marks, head, impl_item_attrs, item_attrs};
use super::mask::Mask;
use super::shim::{self, Shim};
use super::source::Sources;
use super::table::{Fate, Table, stays};
use super::traps::Traps;

/// The text of one file of the view, and what was added to it.
#[derive(Clone, Debug)]
pub(super) struct Emitted {
    pub(super) file: usize,
    pub(super) text: String,
    /// Lines that the user's file has; the lines after them are the view's.
    pub(super) lines: usize,
    /// The shims at the file's end, one a line from `lines + 1` on.
    pub(super) end: Vec<Shim>,
    /// Shims before closing braces: the line, the column in the view's text, the shim, in source order.
    pub(super) inside: Vec<(usize, usize, Shim)>,
}

/// Writes the text of every file that holds a live module.
pub(super) fn emit(sources: &Sources, table: &Table, known: Known, traps: &mut Traps<'_>) -> Vec<Emitted> {
    let mut emitted = Vec::new();
    let mut seen = Vec::new();
    for (index, module) in table.modules.iter().enumerate() {
        let whole_file = module.parent.is_none_or(|parent| table.modules[parent].file != module.file);
        let place = &sources.files[module.file].place;
        if module.live && whole_file && !seen.contains(&place) {
            seen.push(place);
            emitted.push(file(sources, table, known, traps, index));
        }
    }
    emitted
}

fn file(sources: &Sources, table: &Table, known: Known, traps: &mut Traps<'_>, module: usize) -> Emitted {
    let index = table.modules[module].file;
    let source = &sources.files[index];
    let mask = Mask::new(source.text.len());
    let mut emitter = Emitter { sources, table, known, traps, file: index, mask, inside: Vec::new() };
    for attr in &source.ast().attrs {
        let tokens: Vec<_> = attr.meta.to_token_stream().into_iter().collect();
        if ["cfg", "recursion_limit"].contains(&head(&tokens).0.as_str()) {
            emitter.mask.keep(attr.span().byte_range());
        }
    }
    let mut end = Vec::new();
    emitter.items(module, &source.ast().items, &mut end);
    let Emitter { mask, inside, .. } = emitter;

    let mut text = String::with_capacity(source.text.len() + 256);
    let blanked = mask.apply(&source.text);
    // Blanking keeps characters, not bytes: both texts are walked character by character.
    let mut inside = inside.into_iter().peekable();
    let mut placed = Vec::new();
    let (mut line, mut column) = (1, 1);
    for ((at, _), c) in source.text.char_indices().zip(blanked.chars()) {
        while let Some((_, shims)) = inside.next_if(|(offset, _): &(usize, Vec<Shim>)| *offset == at) {
            for shim in shims {
                text += &shim.text;
                text.push(' ');
                let width = shim.text.chars().count() + 1;
                placed.push((line, column, shim));
                column += width;
            }
        }
        text.push(c);
        (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let lines = text.matches('\n').count();
    for shim in &end {
        text += &shim.text;
        text.push('\n');
    }
    if module == 0 {
        // The device layer brings the panic handler, whether or not the code names it.
        text += "extern crate core as std; extern crate warpweft as _;\n";
    }
    Emitted { file: index, text, lines, end, inside: placed }
}

struct Emitter<'a, 't> {
    sources: &'a Sources,
    table: &'a Table,
    known: Known,
    traps: &'a mut Traps<'t>,
    file: usize,
    mask: Mask,
    inside: Vec<(usize, Vec<Shim>)>,
}

impl Emitter<'_, '_> {
    fn items(&mut self, module: usize, items: &[Item], shims: &mut Vec<Shim>) {
        for item in items {
            let marks = Marks::read(item_attrs(item), self.known);
            if marks.dead {
                continue;
            }
            let kept = stays(&marks, self.table.modules[module].whole, item);
            match item {
                Item::Mod(item) => self.module(item),
                Item::Use(item) => self.import(module, item),
                Item::ExternCrate(item) => {
                    let name = super::table::plain(&item.ident);
                    if !["std", "alloc", "core", "self", "test", "proc_macro"].contains(&name.as_str())
                        && self.traps.externs.contains(&name)
                    {
                        self.keep_whole(&Item::ExternCrate(item.clone()));
                    }
                }
                Item::Impl(item) if !kept => self.partial_impl(module, item),
                _ if kept => {
                    self.keep_whole(item);
                    self.traps.item(module, self.file, item);
                    self.shims(module, item, &marks, shims);
                }
                _ => {}
            }
        }
    }

    fn keep_whole(&mut self, item: &Item) {
        self.mask.keep(item.span().byte_range());
        Filter { mask: &mut self.mask }.visit_item(item);
    }

    /// Keeps an item's attributes as far as they stay, and everything from its first other token to `end`.
    fn keep_header(&mut self, attrs: &[syn::Attribute], whole: Range<usize>, end: usize) {
        self.mask.keep(whole.start..end);
        Filter { mask: &mut self.mask }.attributes(attrs);
    }

    fn module(&mut self, item: &syn::ItemMod) {
        let offset = item.ident.span().byte_range().start;
        let Some(modules) = self.table.by_name.get(&(self.file, offset)) else { return };
        let live: Vec<usize> =
            modules.iter().copied().filter(|&module| self.table.modules[module].live).collect();
        let Some(&module) = live.first() else { return };
        let range = item.span().byte_range();
        let Some((brace, items)) = &item.content else {
            self.keep_header(&item.attrs, range.clone(), range.end);
            if self.sources.absolute.contains(&(self.file, offset)) {
                for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("path")) {
                    self.mask.cut(attr.span().byte_range());
                }
            }
            return;
        };
        self.keep_header(&item.attrs, range, brace.span.open().byte_range().end);
        let close = brace.span.close().byte_range();
        self.mask.keep(close.clone());
        let mut shims = Vec::new();
        self.items(module, items, &mut shims);
        if !shims.is_empty() {
            self.inside.push((close.start, shims));
        }
    }

    fn partial_impl(&mut self, module: usize, item: &syn::ItemImpl) {
        let kept: Vec<&ImplItem> = item
            .items
            .iter()
            .filter(|inner| {
                let marks = Marks::read(impl_item_attrs(inner), self.known);
                marks.device && !marks.dead
            })
            .collect();
        if kept.is_empty() {
            return;
        }
        let brace = &item.brace_token.span;
        self.keep_header(&item.attrs, item.span().byte_range(), brace.open().byte_range().end);
        self.mask.keep(brace.close().byte_range());
        for inner in kept {
            self.mask.keep(inner.span().byte_range());
            Filter { mask: &mut self.mask }.visit_impl_item(inner);
            self.traps.impl_item(module, self.file, inner);
        }
    }

    fn shims(&mut self, module: usize, item: &Item, marks: &Marks, shims: &mut Vec<Shim>) {
        let around = |own: &[TokenStream]| [&marks.guards, own].concat();
        if let (Item::Fn(function), Some(own)) = (item, &marks.kernel) {
            let offset = function.sig.ident.span().byte_range().start;
            let kernel = self.table.kernels.iter().find(|(at, name, _)| (*at, *name) == (module, offset));
            if let Some((_, _, kernel)) = kernel {
                shims.push(shim::entry(&function.sig, &kernel.symbol, &around(own)));
            }
        }
        let (name, generics) = match item {
            Item::Struct(item) => (&item.ident, &item.generics),
            Item::Enum(item) => (&item.ident, &item.generics),
            Item::Union(item) => (&item.ident, &item.generics),
            _ => return,
        };
        let kernel_arg = marks.kernel_arg.as_ref().or(marks.element.as_ref());
        if let Some(own) = kernel_arg {
            shims.push(shim::marker(name, generics, "KernelArg", &around(own)));
        }
        if let Some(own) = &marks.element {
            shims.push(shim::marker(name, generics, "Element", &around(own)));
        }
    }

    fn import(&mut self, module: usize, item: &syn::ItemUse) {
        let offset = item.use_token.span.byte_range().start;
        let Some(&first) = self.table.by_use.get(&(module, offset)) else { return };
        let mut next = first;
        let mut cuts = Vec::new();
        if self.table.modules[module].live && self.tree(&item.tree, &mut next, &mut cuts) {
            let range = item.span().byte_range();
            self.keep_header(&item.attrs, range.clone(), range.end);
            cuts.into_iter().for_each(|cut| self.mask.cut(cut));
        }
    }

    /// Counts the leaves of an import as the survey did, and collects what to cut. Returns whether any stays.
    fn tree(&self, tree: &UseTree, next: &mut usize, cuts: &mut Vec<Range<usize>>) -> bool {
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, next, cuts),
            UseTree::Group(group) => {
                let mut any = false;
                for pair in group.items.pairs() {
                    let mut inner = Vec::new();
                    let tree = *pair.value();
                    if self.tree(tree, next, &mut inner) {
                        any = true;
                        cuts.extend(inner);
                    } else {
                        let range = tree.span().byte_range();
                        let comma = pair.punct().map(|comma| comma.span.byte_range().end);
                        cuts.push(range.start..comma.unwrap_or(range.end));
                    }
                }
                any
            }
            _ => {
                let leaf = &self.table.leaves[*next];
                *next += 1;
                leaf.fate == Fate::Kept
            }
        }
    }
}
