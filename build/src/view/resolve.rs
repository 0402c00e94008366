//! Which imports stay: local names by the table, names of other crates by the probe.

use std::collections::{BTreeSet, HashMap};

use super::Probe;
use super::table::{Entry, Fate, Leaf, Table};

/// What a path leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Something that is in the view.
    pub(super) kept: bool,
    /// Items that are blanked.
    pub(super) blanked: Vec<Entry>,
    /// The imports through which the path went that are not in the view.
    pub(super) imports: Vec<usize>,
    /// Paths into other crates, any of which may hold the name.
    pub(super) external: Vec<Vec<String>>,
    /// Glob imports of other crates that are not in the view.
    pub(super) globs: Vec<usize>,
}

impl Found {
    fn merge(&mut self, other: Found) {
        self.kept |= other.kept;
        self.blanked.extend(other.blanked);
        self.imports.extend(other.imports);
        self.external.extend(other.external);
        self.globs.extend(other.globs);
    }

    fn nothing(&self) -> bool {
        !self.kept && self.blanked.is_empty() && self.imports.is_empty() && self.external.is_empty()
    }
}

/// Names of core's atomic types; on the device they lose their memory ordering.
pub(super) fn is_atomic_type(name: &str) -> bool {
    name.strip_prefix("Atomic").is_some_and(|rest| {
        matches!(rest, "Bool" | "Ptr" | "Usize" | "Isize")
            || matches!(rest.strip_prefix(['U', 'I']), Some("8" | "16" | "32" | "64" | "128"))
    })
}

/// A walk over the table; the stack of leaves being resolved guards against circles.
pub(super) struct Resolver<'a> {
    pub(super) table: &'a Table,
    pub(super) externs: &'a [String],
}

const DEPTH: usize = 32;

impl Resolver<'_> {
    fn is_extern(&self, name: &str) -> bool {
        ["std", "core"].contains(&name) || self.externs.iter().any(|known| known == name)
    }

    /// Follows a path as written in a module.
    pub(super) fn path(&self, module: usize, path: &[String], stack: &mut Vec<usize>) -> Found {
        let mut found = Found::default();
        if stack.len() > DEPTH {
            return found;
        }
        let Some((first, rest)) = path.split_first() else { return self.module(module) };
        match first.as_str() {
            "" => found.external.push(self.external(rest)),
            "crate" | "$crate" => return self.inside(0, rest, stack),
            "self" => return self.inside(module, rest, stack),
            "super" => {
                let Some(mut at) = self.table.modules[module].parent else { return found };
                let mut rest = rest;
                while let Some((next, tail)) = rest.split_first()
                    && next == "super"
                {
                    let Some(parent) = self.table.modules[at].parent else { return found };
                    (at, rest) = (parent, tail);
                }
                return self.inside(at, rest, stack);
            }
            name => {
                found = self.named(module, name, rest, stack);
                if found.nothing() {
                    if self.table.renamed.contains_key(name) || self.is_extern(name) {
                        found.external.push(self.external(path));
                    } else {
                        found = self.globs(module, path, stack);
                    }
                }
                if found.nothing() && rest.is_empty() && self.table.macros.contains(name) {
                    found.kept = true;
                }
            }
        }
        found
    }

    fn external(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        if let Some(real) = path.first().and_then(|first| self.table.renamed.get(first)) {
            path[0] = real.clone();
        }
        path
    }

    fn module(&self, module: usize) -> Found {
        let module = &self.table.modules[module];
        let entry = Entry { kind: "module", kept: module.live, file: module.file, line: module.line };
        match module.live {
            true => Found { kept: true, ..Found::default() },
            false => Found { blanked: vec![entry], ..Found::default() },
        }
    }

    /// Follows a path whose first segment must lie in a module.
    fn inside(&self, module: usize, path: &[String], stack: &mut Vec<usize>) -> Found {
        let Some((name, rest)) = path.split_first() else { return self.module(module) };
        let mut found = self.named(module, name, rest, stack);
        if found.nothing() {
            found = self.globs(module, path, stack);
        }
        if found.nothing() && rest.is_empty() && self.table.macros.contains(name) {
            found.kept = true;
        }
        found
    }

    /// Follows a name that a module declares or imports by name.
    fn named(&self, module: usize, name: &str, rest: &[String], stack: &mut Vec<usize>) -> Found {
        let mut found = Found::default();
        let here = &self.table.modules[module];
        for &child in here.children.get(name).into_iter().flatten() {
            found.merge(self.inside(child, rest, stack));
        }
        for entry in here.items.get(name).into_iter().flatten() {
            match entry.kept {
                true => found.kept = true,
                false => found.blanked.push(entry.clone()),
            }
        }
        for &index in &here.leaves {
            let leaf = &self.table.leaves[index];
            if leaf.bound.as_deref() != Some(name) || stack.contains(&index) {
                continue;
            }
            stack.push(index);
            let path: Vec<String> = leaf.path.iter().chain(rest).cloned().collect();
            let inner = self.path(module, &path, stack);
            stack.pop();
            if leaf.fate != Fate::Kept {
                found.imports.push(index);
            }
            found.merge(inner);
        }
        found
    }

    /// Follows a path through the glob imports of a module.
    fn globs(&self, module: usize, path: &[String], stack: &mut Vec<usize>) -> Found {
        let mut found = Found::default();
        for &index in &self.table.modules[module].leaves {
            let leaf = &self.table.leaves[index];
            if !leaf.glob || stack.contains(&index) {
                continue;
            }
            stack.push(index);
            let through: Vec<String> = leaf.path.iter().chain(path).cloned().collect();
            let inner = self.path(module, &through, stack);
            stack.pop();
            if leaf.fate != Fate::Kept && !inner.external.is_empty() {
                found.globs.push(index);
            }
            found.merge(inner);
        }
        found
    }
}

/// The text of an import for the probe.
fn text(path: &[String], leaf: &Leaf) -> String {
    let path = path.iter().map(|name| raw(name)).collect::<Vec<_>>().join("::");
    match leaf {
        Leaf { glob: true, .. } => path + "::*",
        Leaf { module_only: true, .. } => path + "::{self}",
        _ => path,
    }
}

/// Writes keywords as raw names again.
fn raw(name: &str) -> String {
    let keyword = syn::parse_str::<syn::Ident>(name).is_err();
    let special = ["crate", "self", "super", "Self", ""].contains(&name);
    if keyword && !special { format!("r#{name}") } else { name.to_owned() }
}

/// Whether a path into std or core reaches the atomics; `Ordering` and the fences are fine on the device.
fn is_atomic(path: &[String], glob: bool) -> bool {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["std" | "core", "sync", "atomic"] => true,
        ["std" | "core", "sync", "atomic", rest @ ..] => glob || rest.iter().any(|name| is_atomic_type(name)),
        _ => false,
    }
}

/// Decides every import of the target that may matter on the device.
pub(super) fn decide(table: &mut Table, externs: &[String], probe: &dyn Probe) {
    let mut known: HashMap<String, bool> = HashMap::new();
    loop {
        let mut pending = BTreeSet::new();
        while sweep(table, externs, &known, &mut pending) {}
        if pending.is_empty() {
            return;
        }
        let asked: Vec<String> = pending.into_iter().collect();
        let mut answers = probe.resolves(&asked).into_iter();
        for leaf in asked {
            known.insert(leaf, answers.next().unwrap_or(false));
        }
    }
}

/// Goes once over all undecided imports. Returns whether one was decided; collects questions for the probe.
fn sweep(
    table: &mut Table,
    externs: &[String],
    known: &HashMap<String, bool>,
    pending: &mut BTreeSet<String>,
) -> bool {
    let mut progress = false;
    for index in 0..table.leaves.len() {
        let leaf = &table.leaves[index];
        let module = leaf.module;
        let reachable = table.modules[module].leaves.contains(&index);
        if leaf.fate == Fate::Kept || !reachable || !(leaf.public || table.modules[module].live) {
            continue;
        }
        let resolver = Resolver { table, externs };
        let found = resolver.path(module, &leaf.path, &mut vec![index]);
        let mut kept = found.kept;
        let mut atomic = false;
        for path in &found.external {
            if is_atomic(path, leaf.glob) {
                atomic = true;
            } else if path.first().is_some_and(|first| resolver.is_extern(first)) {
                let text = text(path, leaf);
                match known.get(&text) {
                    Some(answer) => kept |= answer,
                    None => _ = pending.insert(text),
                }
            }
        }
        // A glob that leads on to an item: an enum's variants, which rustc checks.
        if kept {
            let public = leaf.public;
            table.leaves[index].fate = Fate::Kept;
            progress = true;
            if public {
                let mut next = Some(module);
                while let Some(module) = next {
                    table.modules[module].live = true;
                    next = table.modules[module].parent;
                }
            }
        } else if atomic {
            table.leaves[index].fate = Fate::Atomic;
        }
    }
    progress
}
