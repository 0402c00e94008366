//! Turning rustc's messages about the view into errors at the user's tokens.

use std::path::{Path, PathBuf};

use super::emit::Emitted;
use super::resolve::{Found, Resolver};
use super::table::{Owned, Table};
use super::traps::{Trap, atomic_message};
use super::words;
use super::{Owner, RustcMessage, RustcSpan, TableError};

/// What explaining needs to know of one source file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) relative: PathBuf,
    pub(super) text: String,
    pub(super) emitted: Option<Emitted>,
}

/// What explaining needs to know of the target.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) files: Vec<File>,
    pub(super) externs: Vec<String>,
    pub(super) dependencies: Vec<String>,
    pub(super) table: Table,
}

/// A place in the user's files: file, line, column.
type Place = (usize, usize, usize);

impl Index {
    /// The errors that were found without rustc: traps, and kernels of equal symbol.
    pub(super) fn early(&self, traps: Vec<Trap>) -> Vec<TableError> {
        let mut errors: Vec<TableError> = Vec::new();
        for trap in traps {
            let error = self.error((trap.file, trap.line, trap.column), trap.message, false);
            if let Some(error) = error.filter(|error| !errors.contains(error)) {
                errors.push(error);
            }
        }
        let kernels = &self.table.kernels;
        for (at, (_, _, kernel)) in kernels.iter().enumerate() {
            let earlier = kernels[..at].iter().map(|(_, _, kernel)| kernel).find(|earlier| {
                earlier.symbol == kernel.symbol && !earlier.conditional && !kernel.conditional
            });
            if let Some(earlier) = earlier {
                errors.push(TableError {
                    owner: kernel.owner.clone(),
                    file: kernel.owner.file.clone(),
                    line: kernel.owner.line,
                    column: kernel.owner.column,
                    message: format!(
                        "this kernel and the one in {}:{} both get the symbol `{}`: rename one of them",
                        earlier.owner.file.display(),
                        earlier.owner.line,
                        kernel.symbol
                    ),
                    shared: false,
                });
            }
        }
        errors
    }

    /// Explains one message; several errors when rustc lists several places. Tells of each whether it is about
    /// the text of a shim.
    pub(super) fn explain(&self, message: &RustcMessage) -> Vec<(TableError, bool)> {
        if !message.level.starts_with("error") || message.message.starts_with("aborting due to") {
            return Vec::new();
        }
        let mut primary: Vec<&RustcSpan> = message.spans.iter().filter(|span| span.is_primary).collect();
        if primary.len() > 1 && !words::name_not_found(message) {
            primary.truncate(1);
        }
        let mut errors = Vec::new();
        let mut placed = false;
        for span in &primary {
            let Some((place, end)) = self.place(span) else { continue };
            // What a shim repeats of the kernel's header is reported there.
            let in_shim = place == (place.0, end.0, end.1);
            if !(in_shim && words::name_not_found(message)) {
                let explained = self.words(message, place, end);
                let foreign = explained.is_none().then(|| self.foreign(message, place, end)).flatten();
                let ours = explained.is_some() || foreign.as_ref().is_some_and(|(_, ours)| *ours);
                let shared = !ours && words::same_on_the_host(message);
                let text =
                    explained.or(foreign.map(|(text, _)| text)).unwrap_or_else(|| words::rustc(message));
                errors.extend(self.error(place, text, shared).map(|error| (error, in_shim)));
            }
            placed = true;
        }
        if !placed && let Some(owner) = self.fallback() {
            let place = primary.first().map(|span| format!(" (at {}:{})", span.file, span.line));
            let message = words::rustc(message) + &place.unwrap_or_default();
            let (file, line, column) = (owner.file.clone(), owner.line, owner.column);
            errors.push((
                TableError { owner: owner.clone(), file, line, column, message, shared: false },
                false,
            ));
        }
        errors
    }

    fn fallback(&self) -> Option<&Owner> {
        let kernel = self.table.kernels.first().map(|(_, _, kernel)| &kernel.owner);
        kernel.or_else(|| {
            let owned = &self.table.owned;
            owned.iter().find(|owned| owned.reports).or(owned.first()).map(|owned| &owned.owner)
        })
    }

    /// The annotated item of the file that is nearest to a place outside of all of them.
    fn nearest(&self, (file, line, column): Place) -> Option<&Owner> {
        let at = offset(&self.files[file].text, line, column)?;
        let reporting = self.table.owned.iter().filter(|owned| owned.file == file && owned.reports);
        let distance = |owned: &&Owned| match at < owned.range.start {
            true => owned.range.start - at,
            false => at.saturating_sub(owned.range.end),
        };
        reporting.min_by_key(distance).map(|owned| &owned.owner)
    }

    fn error(&self, (file, line, column): Place, message: String, shared: bool) -> Option<TableError> {
        let around = self.owner((file, line, column)).filter(|owned| owned.reports);
        let owner = match around {
            Some(owned) => &owned.owner,
            None => self.nearest((file, line, column)).or_else(|| self.fallback())?,
        };
        let shared = shared && around.is_some_and(|owned| !owned.member);
        let file = self.files[file].path.clone();
        Some(TableError { owner: owner.clone(), file, line, column, message, shared })
    }

    /// The innermost annotated item around a place.
    fn owner(&self, (file, line, column): Place) -> Option<&Owned> {
        let offset = offset(&self.files[file].text, line, column)?;
        let around =
            self.table.owned.iter().filter(|owned| owned.file == file && owned.range.contains(&offset));
        around.min_by_key(|owned| owned.range.len())
    }

    fn file(&self, name: &str) -> Option<usize> {
        let name = Path::new(name);
        let exact = self.files.iter().position(|file| file.path == name);
        exact.or_else(|| {
            let mut best = None;
            for (at, file) in self.files.iter().enumerate().filter(|(_, file)| file.emitted.is_some()) {
                let length = file.relative.components().count();
                if name.ends_with(&file.relative) && best.is_none_or(|(_, longest)| length > longest) {
                    best = Some((at, length));
                }
            }
            best.map(|(at, _)| at)
        })
    }

    /// The place in the user's files of a span, and the line and column of its end. A span in a macro of another
    /// crate stands where the macro was called.
    fn place(&self, span: &RustcSpan) -> Option<(Place, (usize, usize))> {
        let mut outermost = Some(span);
        let mut found = None;
        while let Some(span) = outermost {
            if let Some(file) = self.file(&span.file) {
                found = Some((file, span));
                let place = self.mapped(file, span.line, span.column);
                if self.owner(place).is_some() {
                    break;
                }
            }
            outermost = span.expansion.as_deref();
        }
        let (file, span) = found?;
        let place = self.mapped(file, span.line, span.column);
        let (_, line, column) = self.mapped(file, span.line_end, span.column_end);
        Some((place, (line, column)))
    }

    /// Maps a place in the view's text to the user's: columns behind a shim move back, places in a shim are the
    /// kernel's name or the parameter that the text stands for.
    fn mapped(&self, file: usize, line: usize, column: usize) -> Place {
        let Some(emitted) = &self.files[file].emitted else { return (file, line, column) };
        let inside = |shim: &super::shim::Shim, column: usize| {
            let hit = shim.columns.iter().find(|(columns, _)| columns.contains(&column));
            hit.map_or(shim.place, |(_, place)| *place)
        };
        if line > emitted.lines {
            let shim = emitted.end.get(line - emitted.lines - 1);
            let (line, column) = shim.map_or((1, 1), |shim| inside(shim, column));
            return (file, line, column);
        }
        let mut back = 0;
        for (_, start, shim) in emitted.inside.iter().filter(|(at, _, _)| *at == line) {
            let width = shim.text.chars().count() + 1;
            if (*start..start + width).contains(&column) {
                let (line, column) = inside(shim, column - start + 1);
                return (file, line, column);
            }
            back += if column >= start + width { width } else { 0 };
        }
        (file, line, column - back)
    }

    /// The innermost module around a place.
    fn module(&self, (file, line, column): Place) -> usize {
        let at = offset(&self.files[file].text, line, column).unwrap_or(0);
        let modules = self.table.modules.iter().enumerate();
        let around = modules.filter(|(_, module)| module.file == file && module.body.contains(&at));
        around.min_by_key(|(_, module)| module.body.len()).map_or(0, |(index, _)| index)
    }

    /// What the view knows of a fault that rustc does not.
    fn words(&self, message: &RustcMessage, place: Place, end: (usize, usize)) -> Option<String> {
        if words::name_not_found(message)
            && let Some(text) = self.name(place, end)
        {
            return Some(text);
        }
        if message.code.as_deref() == Some("E0046") && self.owner(place).is_none() {
            let missing = words::quoted(&message.message).unwrap_or_default();
            return Some(format!(
                "this impl is device code in part, without {missing}: put #[device] on the whole impl"
            ));
        }
        self.method(message, place, end).or_else(|| self.missing_impl(message, place))
    }

    fn user(&self, place: Place) -> String {
        match self.owner(place) {
            Some(owned) if owned.kernel => format!("kernel `{}`", owned.owner.name),
            Some(owned) => format!("device code, `{}`", owned.owner.name),
            None => "device code".to_owned(),
        }
    }

    /// Explains a name that rustc did not find.
    fn name(&self, place: Place, end: (usize, usize)) -> Option<String> {
        let text = &self.files[place.0].text;
        let from = offset(text, place.1, place.2)?;
        let to = offset(text, end.0, end.1)?;
        let written = text.get(from..to)?.trim_start_matches('<');
        let name_end = written.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(written.len());
        let is_path = written[name_end..].trim_start().starts_with("::");
        let (name, path) = path_around(text, from, if is_path { from + name_end } else { to })?;
        let module = self.module(place);
        let resolver = Resolver { table: &self.table, externs: &self.externs };
        let found = resolver.path(module, &path, &mut Vec::new());
        if let Some(text) = self.import(&found, &path[0]) {
            return Some(text);
        }
        if let Some(text) = self.blanked(&found, &name, place) {
            return Some(text);
        }
        if let Some(text) = words::missing(&path, &written[name_end..]) {
            return Some(text);
        }
        if let Some(&glob) = found.globs.first().filter(|_| !found.kept) {
            let leaf = &self.table.leaves[glob];
            // `foreign` tells of another crate.
            if self.unavailable_crate(leaf).is_some() {
                return None;
            }
            let path = leaf.path.join("::");
            return Some(format!("`{name}` is host-only, as `use {path}::*` in line {} is", leaf.line));
        }
        if let Some(crate_name) = self.other_crate(&path) {
            let path = path.join("::");
            return Some(format!(
                "`{path}` is not device code of crate `{crate_name}`: add #[device] to it there"
            ));
        }
        if found.kept || !found.external.is_empty() {
            return None;
        }
        // A path whose last segment is a blanked associated item or lies behind something unknown.
        let everywhere = self.table.modules.iter().filter_map(|module| module.items.get(&name)).flatten();
        let blanked: Vec<_> = everywhere.filter(|entry| !entry.kept).cloned().collect();
        let methods = self.table.methods.iter().filter(|method| method.name == name && !method.entry.kept);
        let methods = methods.map(|method| method.entry.clone());
        let blanked = if blanked.is_empty() { methods.collect() } else { blanked };
        self.blanked(&Found { blanked, ..Found::default() }, &name, place)
    }

    fn import(&self, found: &Found, name: &str) -> Option<String> {
        let leaf = found.imports.iter().map(|&leaf| &self.table.leaves[leaf]).find(|_| !found.kept)?;
        if leaf.fate == super::table::Fate::Atomic {
            return Some(atomic_message(name));
        }
        if !found.blanked.is_empty() {
            return None;
        }
        let bound = leaf.bound.as_deref().unwrap_or(name);
        if let Some(crate_name) = self.other_crate(&leaf.path) {
            return Some(format!(
                "`{bound}`, imported in line {}, is not device code of crate `{crate_name}`: add #[device] to it there",
                leaf.line
            ));
        }
        if let Some(crate_name) = self.unavailable_crate(leaf) {
            return Some(format!(
                "`{bound}`, imported in line {}, is of another crate, `{crate_name}`: {}",
                leaf.line,
                words::OTHER_CRATES
            ));
        }
        let more = words::hint(&leaf.path).map(|hint| format!(": {hint}")).unwrap_or_default();
        Some(format!("`{bound}`, imported in line {}, is host-only{more}", leaf.line))
    }

    /// The crate, if a path leads to one of the target's own device crates.
    fn other_crate<'a>(&self, path: &'a [String]) -> Option<&'a str> {
        let first = path.iter().find(|name| !name.is_empty())?;
        (path.len() > 1 && first != "warpweft" && self.externs.contains(first)).then_some(first)
    }

    /// The crate of an import that no device code can have: an ordinary dependency of the package.
    fn unavailable_crate<'a>(&self, leaf: &'a super::table::Leaf) -> Option<&'a str> {
        let first = leaf.path.iter().find(|name| !name.is_empty())?;
        let known = ["crate", "$crate", "self", "super", "std", "core", "alloc"].contains(&first.as_str());
        let here = &self.table.modules[leaf.module];
        let local =
            leaf.path[0] == *first && (here.children.contains_key(first) || here.items.contains_key(first));
        let simple = leaf.glob || leaf.path.len() > 1;
        (simple && !known && !local && !self.externs.contains(first)).then_some(first)
    }

    /// Explains a name of a crate that no device code can have. (rustc would advise to add a dependency.)
    /// Tells whether the host has the crate, so that the fault is the device's alone.
    fn foreign(&self, message: &RustcMessage, place: Place, end: (usize, usize)) -> Option<(String, bool)> {
        if !words::name_not_found(message) {
            return None;
        }
        let others = words::OTHER_CRATES;
        let text = &self.files[place.0].text;
        let written = text.get(offset(text, place.1, place.2)?..offset(text, end.0, end.1)?)?;
        let name = written.split("::").map(str::trim).find(|name| !name.is_empty())?;
        let labels = message.spans.iter().filter_map(|span| span.label.as_deref());
        let about = format!("crate `{name}`");
        if std::iter::once(message.message.as_str()).chain(labels).any(|text| text.contains(&about)) {
            let on_the_host = self.dependencies.iter().any(|known| known == name);
            return Some((format!("`{name}` is another crate: {others}"), on_the_host));
        }
        let leaves = self.table.modules[self.module(place)].leaves.iter();
        let mut globs = leaves.map(|&leaf| &self.table.leaves[leaf]).filter(|leaf| leaf.glob);
        let (leaf, crate_name) = globs.find_map(|leaf| Some((leaf, self.unavailable_crate(leaf)?)))?;
        let text = format!(
            "`{name}` seems to be of another crate, `{crate_name}` (`use` in line {}): {others}",
            leaf.line
        );
        Some((text, false))
    }

    fn blanked(&self, found: &Found, name: &str, place: Place) -> Option<String> {
        let entry = found.blanked.first().filter(|_| !found.kept)?;
        let verb = match entry.kind {
            "function" | "method" | "macro" => "called from",
            _ => "used in",
        };
        let at = match entry.file == place.0 {
            true => format!("line {}", entry.line),
            false => format!("{}:{}", self.files[entry.file].path.display(), entry.line),
        };
        let user = self.user(place);
        let parameter = self.parameter(place).filter(|_| entry.kind == "struct");
        if let Some((what, derive)) = parameter {
            return Some(format!(
                "`{name}` is {what} {user}: add `#[derive(Clone, Copy, {derive})]` and `#[repr(C)]` to the struct in {at}"
            ));
        }
        Some(match entry.kind {
            "module" => format!("module `{name}` ({at}), used in {user}, holds no device code"),
            kind => format!("`{name}` is {verb} {user}: add #[device] to the {kind} in {at}"),
        })
    }

    /// What the type at a place is to a kernel, and the derive that it needs.
    fn parameter(&self, place: Place) -> Option<(&'static str, &'static str)> {
        let kernel = self.owner(place).filter(|owned| owned.kernel)?;
        let text = &self.files[place.0].text;
        let before = text.get(kernel.range.start..offset(text, place.1, place.2)?)?.trim_end();
        if before.contains('{') {
            return None;
        }
        if before.ends_with(':') && !before.ends_with("::") {
            return Some(("a parameter of", "KernelArg"));
        }
        let view = ["&[", "DisjointSlice<", "DisjointGrid<"].iter().any(|view| before.ends_with(view));
        view.then_some(("an element of a parameter of", "Element"))
    }

    /// Explains a method that rustc did not find.
    fn method(&self, message: &RustcMessage, place: Place, end: (usize, usize)) -> Option<String> {
        if message.code.as_deref() != Some("E0599") {
            return None;
        }
        let text = &self.files[place.0].text;
        let written = text.get(offset(text, place.1, place.2)?..offset(text, end.0, end.1)?)?;
        let name = written.strip_prefix("r#").unwrap_or(written);
        let mut methods =
            self.table.methods.iter().filter(|method| method.name == name && !method.entry.kept);
        let backquoted = |method: &&super::table::Method| {
            message
                .message
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .any(|word| word == method.self_type)
        };
        let method =
            methods.clone().find(backquoted).or_else(|| methods.find(|method| method.of_trait.is_some()));
        if let Some(method) = method {
            let found = Found { blanked: vec![method.entry.clone()], ..Found::default() };
            return self.blanked(&found, name, place);
        }
        let mut leaves = self.table.leaves.iter().filter(|leaf| leaf.fate != super::table::Fate::Kept);
        let importer = leaves.find(|leaf| {
            leaf.bound.as_deref().is_some_and(|bound| {
                message.children.iter().any(|child| child.message.contains(&format!("`{bound}`")))
            })
        });
        let needs = || {
            let leaf = importer?;
            let bound = leaf.bound.as_deref().unwrap_or_default();
            Some(format!("`{name}` needs `{bound}`, which is imported in line {} and host-only", leaf.line))
        };
        words::float_method(message, name).or_else(needs).or_else(|| words::alloc_method(name))
    }

    /// Explains a trait that is not implemented because the impl is blanked.
    fn missing_impl(&self, message: &RustcMessage, place: Place) -> Option<String> {
        if !matches!(message.code.as_deref(), Some("E0277" | "E0599" | "E0369" | "E0368" | "E0600" | "E0608"))
        {
            return None;
        }
        let labels = message.spans.iter().filter_map(|span| span.label.as_deref());
        let notes = message.children.iter().map(|child| child.message.as_str());
        let all: Vec<&str> = std::iter::once(message.message.as_str()).chain(labels).chain(notes).collect();
        let mentions = |name: &str| {
            let mut words =
                all.iter().flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '_')));
            words.any(|word| word == name)
        };
        let operator = |name: &str| words::operator(name).is_some_and(|sign| all[0].contains(sign));
        let method = self.table.methods.iter().find(|method| {
            let named = method.of_trait.as_deref().is_some_and(|name| mentions(name) || operator(name));
            !method.entry.kept && method.entry.kind == "impl" && named && mentions(&method.self_type)
        })?;
        let name = method.of_trait.as_deref()?;
        let found = Found { blanked: vec![method.entry.clone()], ..Found::default() };
        self.blanked(&found, &format!("{name} for {}", method.self_type), place)
    }
}

/// The byte offset of a place.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = &text[start..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    Some(start + line.char_indices().nth(column.checked_sub(1)?).map_or(line.len(), |(at, _)| at))
}

/// The name that ends at `to`, and the path written in front of it.
fn path_around(text: &str, from: usize, to: usize) -> Option<(String, Vec<String>)> {
    let ident = |c: char| c.is_alphanumeric() || c == '_';
    let mut path = Vec::new();
    let mut at = to;
    // The span may hold a whole path: read segments backwards from its end, then on before its start.
    loop {
        let before = text[..at].trim_end();
        let start = before.trim_end_matches(ident).len();
        let name = &before[start..];
        if name.is_empty() {
            break;
        }
        path.push(name.to_owned());
        let rest = text[..start].trim_end_matches("r#").trim_end();
        match rest.strip_suffix("::") {
            Some(rest) => at = rest.len(),
            None => break,
        }
    }
    if text[..at].ends_with("::") || path.is_empty() || from > to {
        return None;
    }
    path.reverse();
    Some((path.last()?.clone(), path))
}
