//! What the view knows of a target's modules: the items with their fate, the imports, the kernels, and which
//! annotated item owns which place.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ImplItem, Item, UseTree};

use super::marks::{Known, Marks, impl_item_attrs, item_attrs, item_name};
use super::source::{Sources, place};
use super::{KernelItem, Owner};

/// An item, method or variant that is or is not in the view.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// `function`, `struct`, …
    pub(super) kind: &'static str,
    pub(super) kept: bool,
    pub(super) file: usize,
    pub(super) line: usize,
}

/// A module of the target.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) parent: Option<usize>,
    pub(super) name: String,
    pub(super) file: usize,
    /// The bytes of its file that it spans.
    pub(super) body: Range<usize>,
    /// Marked as a whole: every item in it is device code.
    pub(super) whole: bool,
    /// Is in the view.
    pub(super) live: bool,
    /// A `cfg` on it or around it decides.
    pub(super) conditional: bool,
    pub(super) line: usize,
    pub(super) items: HashMap<String, Vec<Entry>>,
    pub(super) children: HashMap<String, Vec<usize>>,
    pub(super) leaves: Vec<usize>,
}

/// Why an import is not in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Not known to resolve on the device.
    Dropped,
    /// One of core's atomics.
    Atomic,
    Kept,
}

/// One name that a `use` brings in.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) module: usize,
    /// The path, with an empty first segment for a leading `::`.
    pub(super) path: Vec<String>,
    /// The name bound; `None` for a glob and for `_`.
    pub(super) bound: Option<String>,
    pub(super) glob: bool,
    /// Written `{self}`.
    pub(super) module_only: bool,
    /// Can be imported from elsewhere: not private.
    pub(super) public: bool,
    pub(super) line: usize,
    pub(super) fate: Fate,
}

/// A method of an impl that is not wholly in the view, or a whole impl.
#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) self_type: String,
    /// The trait of the impl.
    pub(super) of_trait: Option<String>,
    pub(super) entry: Entry,
}

/// The bytes of an annotated item.
#[derive(Clone, Debug)]
pub(super) struct Owned {
    pub(super) owner: Owner,
    pub(super) kernel: bool,
    /// Its macro reports errors; a derive does not.
    pub(super) reports: bool,
    /// It stands in an impl.
    pub(super) member: bool,
    pub(super) file: usize,
    pub(super) range: Range<usize>,
}

/// The survey of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) modules: Vec<Module>,
    pub(super) leaves: Vec<Leaf>,
    /// Modules by file and the offset of the name after `mod`.
    pub(super) by_name: HashMap<(usize, usize), Vec<usize>>,
    /// The first leaf of a `use`, by module and the offset of the keyword.
    pub(super) by_use: HashMap<(usize, usize), usize>,
    pub(super) methods: Vec<Method>,
    pub(super) macros: HashSet<String>,
    pub(super) owned: Vec<Owned>,
    /// The kernels with their modules and the offset of their names.
    pub(super) kernels: Vec<(usize, usize, KernelItem)>,
    /// `extern crate a as b`, by `b`.
    pub(super) renamed: HashMap<String, String>,
}

/// A name without `r#`.
pub(super) fn plain(name: &(impl ToString + ?Sized)) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// Looks through all files of a target.
pub(super) fn survey(sources: &Sources, known: Known, symbol: &dyn Fn(&[String]) -> String) -> Table {
    let mut survey = Survey { sources, known, symbol, table: Table::default() };
    survey.table.modules.push(Module {
        parent: None,
        name: String::new(),
        file: 0,
        body: 0..sources.files[0].text.len(),
        whole: false,
        live: true,
        conditional: false,
        line: 1,
        items: HashMap::new(),
        children: HashMap::new(),
        leaves: Vec::new(),
    });
    survey.items(0, &sources.files[0].ast().items);
    survey.table
}

struct Survey<'a> {
    sources: &'a Sources,
    known: Known,
    symbol: &'a dyn Fn(&[String]) -> String,
    table: Table,
}

impl Survey<'_> {
    fn items(&mut self, module: usize, items: &[Item]) {
        for item in items {
            let marks = Marks::read(item_attrs(item), self.known);
            let kept = stays(&marks, self.table.modules[module].whole, item);
            match item {
                Item::Mod(inner) => self.module(module, inner, &marks),
                Item::Use(inner) => self.import(module, inner, &marks),
                Item::Impl(inner) => self.implementation(module, inner, &marks, kept),
                Item::ExternCrate(inner) if !marks.dead => {
                    if let Some((_, name)) = &inner.rename {
                        self.table.renamed.insert(plain(name), plain(&inner.ident));
                    }
                }
                _ => self.item(module, item, &marks, kept),
            }
            if kept {
                self.make_live(module);
            }
        }
    }

    fn make_live(&mut self, module: usize) {
        let mut next = Some(module);
        while let Some(module) = next {
            self.table.modules[module].live = true;
            next = self.table.modules[module].parent;
        }
    }

    fn item(&mut self, module: usize, item: &Item, marks: &Marks, kept: bool) {
        let Some((kind, name)) = item_name(item) else { return };
        let (line, column) = place(name.span());
        let file = self.table.modules[module].file;
        if kind == "macro" && kept {
            self.table.macros.insert(plain(name));
        }
        let entry = Entry { kind, kept, file, line };
        if !marks.dead {
            self.table.modules[module].items.entry(plain(name)).or_default().push(entry);
        }
        if !marks.marked() {
            return;
        }
        let path = self.sources.files[file].path.clone();
        let owner = Owner { name: plain(name), file: path, line, column };
        let kernel = match item {
            Item::Fn(function) if marks.kernel.is_some() => super::shim::launchable(&function.sig),
            _ => false,
        };
        if kernel {
            let mut names = self.path(module);
            names.push(owner.name.clone());
            let mut conditional = self.table.modules[module].conditional || marks.conditional;
            conditional |=
                marks.kernel.iter().flatten().any(|predicate| self.known.eval(predicate) != Some(true));
            let item = KernelItem { owner: owner.clone(), symbol: (self.symbol)(&names), conditional };
            self.table.kernels.push((module, name.span().byte_range().start, item));
        }
        let reports = marks.device || marks.kernel.is_some();
        self.table.owned.push(Owned {
            owner,
            kernel,
            reports,
            member: false,
            file,
            range: item.span().byte_range(),
        });
    }

    /// The names of the modules around an item, the crate root left out.
    fn path(&self, module: usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = module;
        while let Some(parent) = self.table.modules[at].parent {
            names.push(self.table.modules[at].name.clone());
            at = parent;
        }
        names.reverse();
        names
    }

    fn module(&mut self, parent: usize, item: &syn::ItemMod, marks: &Marks) {
        let file = self.table.modules[parent].file;
        let (line, column) = place(item.ident.span());
        let offset = item.ident.span().byte_range().start;
        if marks.dead {
            return;
        }
        let whole =
            item.content.is_some() && (marks.marked() || self.table.modules[parent].whole && !marks.test);
        let conditional = self.table.modules[parent].conditional || marks.conditional;
        if marks.marked() && item.content.is_some() {
            let path = self.sources.files[file].path.clone();
            let owner = Owner { name: plain(&item.ident), file: path, line, column };
            self.table.owned.push(Owned {
                owner,
                kernel: false,
                reports: true,
                member: false,
                file,
                range: item.span().byte_range(),
            });
        }
        let bodies: Vec<(usize, Range<usize>, &[Item])> = match &item.content {
            Some((brace, items)) => {
                let open = brace.span.open().byte_range().end;
                vec![(file, open..brace.span.close().byte_range().start, items)]
            }
            None => {
                let files = self.sources.files[file].mods.get(&offset).map_or(&[][..], Vec::as_slice);
                let source = |&index: &usize| (index, 0..self.sources.files[index].text.len());
                files
                    .iter()
                    .map(|index| {
                        let (index, body) = source(index);
                        (index, body, self.sources.files[index].ast().items.as_slice())
                    })
                    .collect()
            }
        };
        for (file_of_body, body, items) in bodies {
            let index = self.table.modules.len();
            self.table.modules.push(Module {
                parent: Some(parent),
                name: plain(&item.ident),
                file: file_of_body,
                body,
                whole,
                live: false,
                conditional,
                line,
                items: HashMap::new(),
                children: HashMap::new(),
                leaves: Vec::new(),
            });
            self.table.by_name.entry((file, offset)).or_default().push(index);
            self.table.modules[parent].children.entry(plain(&item.ident)).or_default().push(index);
            self.items(index, items);
            if whole {
                self.make_live(index);
            }
        }
    }

    fn import(&mut self, module: usize, item: &syn::ItemUse, marks: &Marks) {
        let offset = item.use_token.span.byte_range().start;
        self.table.by_use.insert((module, offset), self.table.leaves.len());
        let mut path = Vec::new();
        if item.leading_colon.is_some() {
            path.push(String::new());
        }
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        let first = self.table.leaves.len();
        self.tree(module, &item.tree, &mut path, public);
        if !marks.dead {
            let leaves = first..self.table.leaves.len();
            self.table.modules[module].leaves.extend(leaves);
        }
    }

    fn tree(&mut self, module: usize, tree: &UseTree, path: &mut Vec<String>, public: bool) {
        match tree {
            UseTree::Path(inner) => {
                path.push(plain(&inner.ident));
                self.tree(module, &inner.tree, path, public);
                path.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.tree(module, tree, path, public);
                }
            }
            UseTree::Name(name) => self.leaf(module, path, &name.ident, Some(&name.ident), public),
            UseTree::Rename(rename) => {
                let bound = Some(&rename.rename);
                self.leaf(module, path, &rename.ident, bound, public);
            }
            UseTree::Glob(glob) => {
                let line = place(glob.star_token.span()).0;
                self.table.leaves.push(Leaf {
                    module,
                    path: path.clone(),
                    bound: None,
                    glob: true,
                    module_only: false,
                    public,
                    line,
                    fate: Fate::Dropped,
                });
            }
        }
    }

    fn leaf(
        &mut self,
        module: usize,
        path: &[String],
        name: &proc_macro2::Ident,
        bound: Option<&proc_macro2::Ident>,
        public: bool,
    ) {
        let mut path = path.to_vec();
        let module_only = name == "self" && !path.is_empty();
        let bound = match bound {
            Some(bound) if bound == "self" => path.last().cloned(),
            Some(bound) if bound == "_" => None,
            bound => bound.map(plain),
        };
        if !module_only {
            path.push(plain(name));
        }
        let line = place(name.span()).0;
        let fate = Fate::Dropped;
        self.table.leaves.push(Leaf { module, path, bound, glob: false, module_only, public, line, fate });
    }

    fn implementation(&mut self, module: usize, item: &syn::ItemImpl, marks: &Marks, kept: bool) {
        if marks.dead {
            return;
        }
        let file = self.table.modules[module].file;
        let source = &self.sources.files[file].path;
        let type_ident = type_ident(&item.self_ty);
        let self_type = type_ident.map_or_else(|| item.self_ty.to_token_stream().to_string(), plain);
        let of_trait = item
            .trait_
            .as_ref()
            .map(|(path, _)| path.segments.last().map(|segment| plain(&segment.ident)).unwrap_or_default());
        let impl_line = place(item.impl_token.span).0;
        if marks.marked() {
            let (line, column) = place(type_ident.map_or(item.impl_token.span, |ident| ident.span()));
            let owner = Owner { name: self_type.clone(), file: source.clone(), line, column };
            self.table.owned.push(Owned {
                owner,
                kernel: false,
                reports: true,
                member: false,
                file,
                range: item.span().byte_range(),
            });
        }
        let mut any = false;
        for inner in &item.items {
            let inner_marks = Marks::read(impl_item_attrs(inner), self.known);
            let (kind, name) = match inner {
                ImplItem::Const(inner) => ("constant", &inner.ident),
                ImplItem::Fn(inner) => ("method", &inner.sig.ident),
                ImplItem::Type(inner) => ("type", &inner.ident),
                _ => continue,
            };
            let marked = inner_marks.device && !inner_marks.dead;
            any |= marked;
            let (line, column) = place(name.span());
            if marked && !kept {
                let owner = Owner { name: plain(name), file: source.clone(), line, column };
                self.table.owned.push(Owned {
                    owner,
                    kernel: false,
                    reports: true,
                    member: true,
                    file,
                    range: inner.span().byte_range(),
                });
            }
            self.table.methods.push(Method {
                name: plain(name),
                self_type: self_type.clone(),
                of_trait: of_trait.clone(),
                entry: Entry { kind, kept: kept || marked, file, line },
            });
        }
        if item.items.is_empty() || of_trait.is_some() {
            self.table.methods.push(Method {
                name: String::new(),
                self_type,
                of_trait,
                entry: Entry { kind: "impl", kept: kept || any, file, line: impl_line },
            });
        }
        if any {
            self.make_live(module);
        }
    }
}

/// The name in a type that an impl is known by.
fn type_ident(ty: &syn::Type) -> Option<&proc_macro2::Ident> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        syn::Type::Reference(inner) => type_ident(&inner.elem),
        syn::Type::Slice(inner) => type_ident(&inner.elem),
        syn::Type::Array(inner) => type_ident(&inner.elem),
        syn::Type::Ptr(inner) => type_ident(&inner.elem),
        syn::Type::Paren(inner) => type_ident(&inner.elem),
        _ => None,
    }
}

/// Whether an item is in the view by itself: marked, in a marked module, or a `macro_rules!`.
pub(super) fn stays(marks: &Marks, whole: bool, item: &Item) -> bool {
    let rules = matches!(item, Item::Macro(item) if item.mac.path.is_ident("macro_rules"));
    let separate = matches!(item, Item::Mod(_) | Item::Use(_) | Item::ExternCrate(_));
    !marks.dead && !separate && (marks.marked() || rules || whole && !marks.test)
}
