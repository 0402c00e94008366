//! A look through kept code: faults that rustc does not see, since the code compiles but means something else
//! on the device, and the files that it includes.

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, UseTree};

use super::resolve::{Resolver, is_atomic_type};
use super::source::place;
use super::table::{Fate, Table, plain};

/// A fault and its place; the owner is found later.
pub(super) struct Trap {
    pub(super) file: usize,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

/// Collects the faults of kept code.
pub(super) struct Traps<'a> {
    pub(super) table: &'a Table,
    pub(super) externs: &'a [String],
    pub(super) found: Vec<Trap>,
    /// What `include_bytes!` and its like name: the file with the macro, and the path as written.
    pub(super) included: Vec<(usize, String)>,
}

const CELLS: [&str; 11] = [
    "Cell",
    "RefCell",
    "UnsafeCell",
    "SyncUnsafeCell",
    "OnceCell",
    "LazyCell",
    "Mutex",
    "RwLock",
    "OnceLock",
    "LazyLock",
    "Once",
];

impl Traps<'_> {
    /// Looks through an item that is in the view.
    pub(super) fn item(&mut self, module: usize, file: usize, item: &Item) {
        Look { traps: self, module, file }.visit_item(item);
    }

    /// Looks through a method that is in the view.
    pub(super) fn impl_item(&mut self, module: usize, file: usize, item: &ImplItem) {
        Look { traps: self, module, file }.visit_impl_item(item);
    }
}

struct Look<'a, 'b> {
    traps: &'a mut Traps<'b>,
    module: usize,
    file: usize,
}

impl Look<'_, '_> {
    fn report(&mut self, span: Span, message: String) {
        let (line, column) = place(span);
        let file = self.file;
        self.traps.found.push(Trap { file, line, column, message });
    }

    fn atomic(&mut self, span: Span, name: &str) {
        self.report(span, atomic_message(name));
    }

    /// Whether a path names one of core's atomics.
    fn is_atomic(&self, path: &[String]) -> bool {
        let Some(at) = path.iter().position(|name| is_atomic_type(name)) else { return false };
        let resolver = Resolver { table: self.traps.table, externs: self.traps.externs };
        let found = resolver.path(self.module, &path[..=at], &mut Vec::new());
        if found.kept {
            return false;
        }
        let imported = found.imports.iter().any(|&leaf| self.traps.table.leaves[leaf].fate == Fate::Atomic);
        let external = found.external.iter().any(|path| {
            path.starts_with(&["std".to_owned(), "sync".to_owned()])
                || path.starts_with(&["core".to_owned(), "sync".to_owned()])
        });
        imported || external || path.iter().any(|name| name == "atomic")
    }

    fn check_static(&mut self, name: &proc_macro2::Ident, mutable: bool, ty: &syn::Type) {
        if mutable {
            self.report(name.span(), static_message(name, "`static mut`"));
            return;
        }
        let mut cells = Cells(None);
        cells.visit_type(ty);
        if let Some(cell) = cells.0 {
            self.report(cell.span(), static_message(name, &format!("`{cell}`")));
        }
    }
}

/// What to say about one of core's atomics.
pub(super) fn atomic_message(name: &str) -> String {
    format!(
        "`{name}` of core loses its memory ordering on the GPU: take an `Atomics<T>` view of a buffer as a \
         kernel parameter, or `Shared<T>` for atomics within a block"
    )
}

fn static_message(name: &proc_macro2::Ident, what: &str) -> String {
    format!(
        "`{name}` holds state ({what}): on the GPU such a static lives once per context, on the CPU once per \
         process; pass an `Atomics<T>` view of a buffer to the kernel, or use `Shared<T>` within a block"
    )
}

impl<'ast> Visit<'ast> for Look<'_, '_> {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = mac.path.segments.last().map(|segment| plain(&segment.ident)).unwrap_or_default();
        if ["include", "include_bytes", "include_str"].contains(&name.as_str())
            && let Ok(path) = mac.parse_body::<syn::LitStr>()
        {
            self.traps.included.push((self.file, path.value()));
        }
        visit::visit_macro(self, mac);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| plain(&segment.ident)).collect();
        if self.is_atomic(&names)
            && let Some(segment) = path.segments.iter().find(|segment| is_atomic_type(&plain(&segment.ident)))
        {
            self.atomic(segment.ident.span(), &segment.ident.to_string());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        fn walk(look: &mut Look<'_, '_>, tree: &UseTree, path: &mut Vec<String>) {
            match tree {
                UseTree::Path(inner) => {
                    path.push(plain(&inner.ident));
                    walk(look, &inner.tree, path);
                    path.pop();
                }
                UseTree::Group(group) => group.items.iter().for_each(|tree| walk(look, tree, path)),
                UseTree::Name(syn::UseName { ident, .. }) | UseTree::Rename(syn::UseRename { ident, .. }) => {
                    path.push(plain(ident));
                    if look.is_atomic(path) {
                        look.atomic(ident.span(), &ident.to_string());
                    }
                    path.pop();
                }
                UseTree::Glob(_) => {}
            }
        }
        walk(self, &item.tree, &mut Vec::new());
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        let mutable = matches!(item.mutability, syn::StaticMutability::Mut(_));
        self.check_static(&item.ident, mutable, &item.ty);
        visit::visit_item_static(self, item);
    }
}

/// The first type with interior mutability in a static's type. Atomics are found by path.
struct Cells(Option<proc_macro2::Ident>);

impl<'ast> Visit<'ast> for Cells {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        if self.0.is_none() && CELLS.contains(&plain(&segment.ident).as_str()) {
            self.0 = Some(segment.ident.clone());
        }
        visit::visit_path_segment(self, segment);
    }
}
