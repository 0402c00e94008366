//! The source files of a target: reading, parsing, and following `mod x;`.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use proc_macro2::Span;
use syn::{Expr, ExprLit, Item, Lit, Meta};

use super::Diagnostic;
use super::marks::{Known, guards, token_list};

/// One source file.
pub(super) struct Source {
    /// The user's file.
    pub(super) path: PathBuf,
    /// Where it counts as lying: its own path, unless a `#[path]` names it absolutely.
    pub(super) place: PathBuf,
    /// The text without byte order mark, a `#!` line blanked.
    pub(super) text: String,
    /// The files behind each `mod x;`, by the byte offset of `x`.
    pub(super) mods: HashMap<usize, Vec<usize>>,
    ast: OnceCell<syn::File>,
}

impl Source {
    /// The parsed file; empty when it does not parse.
    pub(super) fn ast(&self) -> &syn::File {
        self.ast.get_or_init(|| syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: Vec::new(),
        })
    }
}

/// All source files of a target, the root first.
pub(super) struct Sources {
    pub(super) files: Vec<Source>,
    pub(super) watched: Vec<PathBuf>,
    pub(super) unparsed: Vec<Diagnostic>,
    /// `#[path]` attributes with an absolute path, by file and the offset of the module's name.
    pub(super) absolute: HashSet<(usize, usize)>,
    known: Known,
}

/// Line and column, from 1, the column in characters.
pub(super) fn place(span: Span) -> (usize, usize) {
    let start = span.start();
    (start.line, start.column + 1)
}

/// Reads the target whose root is `root`, following its modules.
///
/// Files in which nothing can be device code are parsed only if they declare file modules, unless some other
/// file of the target may hold device code.
pub(super) fn load(root: &Path, known: Known) -> Result<Sources, Vec<Diagnostic>> {
    let mut sources = Sources {
        files: Vec::new(),
        watched: Vec::new(),
        unparsed: Vec::new(),
        absolute: HashSet::new(),
        known,
    };
    let dir = root.parent().unwrap_or(Path::new("")).to_path_buf();
    sources.file(root, root.to_path_buf(), &dir, &dir, false, &mut Vec::new());
    let interesting = sources.files.iter().any(|file| may_hold_device_code(&file.text));
    if sources.files.is_empty() || sources.files[0].ast.get().is_none() && !sources.unparsed.is_empty() {
        return Err(sources.unparsed);
    }
    if !interesting {
        sources.files.clear();
        return Ok(sources);
    }
    for file in &sources.files {
        if file.ast.get().is_none() && !sources.unparsed.iter().any(|fault| fault.file == file.path) {
            match syn::parse_file(&file.text) {
                Ok(ast) => _ = file.ast.set(ast),
                Err(error) => sources.unparsed.push(unparsed(&file.path, &error)),
            }
        }
    }
    Ok(sources)
}

/// A cheap look at the text: the words without which there is no device code.
fn may_hold_device_code(text: &str) -> bool {
    ["kernel", "device", "KernelArg", "Element"].iter().any(|word| text.contains(word))
}

/// Whether the text may declare a file module: `mod`, a name, `;`.
fn may_declare_modules(text: &str) -> bool {
    text.match_indices("mod").any(|(at, _)| {
        let rest = text[at + 3..].trim_start();
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '#');
        name.len() < rest.len() && name.trim_start().starts_with([';', '/'])
    })
}

fn unparsed(path: &Path, error: &syn::Error) -> Diagnostic {
    let (line, column) = place(error.span());
    Diagnostic { file: path.to_path_buf(), line, column, message: error.to_string() }
}

/// Removes the byte order mark and blanks a `#!` line that rustc would skip.
fn clean(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("#!") else { return text.to_owned() };
    if skip_blank(rest).starts_with('[') {
        return text.to_owned();
    }
    let end = text.find('\n').unwrap_or(text.len());
    let blank = text[..end].chars().map(|c| if c.is_ascii_whitespace() { c } else { ' ' });
    blank.chain(text[end..].chars()).collect()
}

/// Skips white space and comments.
fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        if text.starts_with("//") {
            text = text.find('\n').map_or("", |end| &text[end..]);
        } else if text.starts_with("/*") {
            text = text.find("*/").map_or("", |end| &text[end + 2..]);
        } else {
            return text;
        }
    }
}

/// Removes `.` and `..` from a path without asking the file system.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => _ = out.pop(),
            part => out.push(part),
        }
    }
    out
}

impl Sources {
    /// Reads one file and the files of its modules. `dir` is where its `mod x;` look, `own_dir` where a
    /// `#[path]` at its top level looks. Returns its index, unless it cannot be read.
    fn file(
        &mut self,
        path: &Path,
        place: PathBuf,
        dir: &Path,
        own_dir: &Path,
        conditional: bool,
        stack: &mut Vec<PathBuf>,
    ) -> Option<usize> {
        if stack.iter().any(|open| open == path) {
            return None;
        }
        if !self.watched.iter().any(|seen| seen == path) {
            self.watched.push(path.to_path_buf());
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => clean(&text),
            Err(error) => {
                let message = format!("cannot be read: {error}");
                self.unparsed.push(Diagnostic { file: path.to_path_buf(), line: 1, column: 1, message });
                return None;
            }
        };
        let index = self.files.len();
        let parse = may_hold_device_code(&text) || may_declare_modules(&text);
        let source =
            Source { path: path.to_path_buf(), place, text, mods: HashMap::new(), ast: OnceCell::new() };
        self.files.push(source);
        if parse {
            match syn::parse_file(&self.files[index].text) {
                Ok(ast) => {
                    stack.push(path.to_path_buf());
                    let around = Around { file: index, dir, path_dir: own_dir, conditional };
                    self.modules(&ast.items, &around, stack);
                    stack.pop();
                    _ = self.files[index].ast.set(ast);
                }
                Err(error) => self.unparsed.push(unparsed(path, &error)),
            }
        }
        Some(index)
    }

    fn modules(&mut self, items: &[Item], around: &Around<'_>, stack: &mut Vec<PathBuf>) {
        for item in items {
            let Item::Mod(module) = item else { continue };
            let guards: Vec<_> = guards(&module.attrs).iter().map(|guard| self.known.eval(guard)).collect();
            if guards.contains(&Some(false)) {
                continue;
            }
            let conditional = around.conditional || guards.contains(&None);
            let name = module.ident.to_string();
            let name = name.strip_prefix("r#").unwrap_or(&name);
            let paths = path_attributes(&module.attrs, self.known);
            if let Some((_, items)) = &module.content {
                let dir = match paths.first() {
                    Some((path, _)) => around.path_dir.join(path),
                    None => around.dir.join(name),
                };
                let inner = Around { dir: &dir, path_dir: &dir, conditional, ..*around };
                self.modules(items, &inner, stack);
                continue;
            }
            let offset = module.ident.span().byte_range().start;
            let mut found = Vec::new();
            for (path, _) in &paths {
                let file = normal(&around.path_dir.join(path));
                let dir = file.parent().unwrap_or(Path::new("")).to_path_buf();
                let place = if Path::new(path).is_absolute() {
                    self.absolute.insert((around.file, offset));
                    around.dir.join(format!("{name}.rs"))
                } else {
                    file.clone()
                };
                found.extend(self.file(&file, place, &dir, &dir, conditional, stack));
            }
            if paths.iter().all(|(_, conditional)| *conditional) {
                let flat = normal(&around.dir.join(format!("{name}.rs")));
                let nested = normal(&around.dir.join(name).join("mod.rs"));
                let inner = around.dir.join(name);
                if flat.is_file() {
                    let own_dir = flat.parent().unwrap_or(Path::new("")).to_path_buf();
                    found.extend(self.file(&flat, flat.clone(), &inner, &own_dir, conditional, stack));
                } else if nested.is_file() {
                    found.extend(self.file(&nested, nested.clone(), &inner, &inner, conditional, stack));
                } else if !conditional && paths.is_empty() {
                    let (line, column) = place(module.ident.span());
                    let message = format!("the file of module `{name}` is missing");
                    self.unparsed.push(Diagnostic { file: flat.clone(), line, column, message });
                    self.watched.push(flat);
                }
            }
            self.files[around.file].mods.insert(offset, found);
        }
    }
}

/// Where the modules of a list of items are looked for.
#[derive(Clone, Copy)]
struct Around<'a> {
    file: usize,
    dir: &'a Path,
    path_dir: &'a Path,
    /// A `cfg` that is not known here may remove them.
    conditional: bool,
}

/// The `#[path = ".."]` of a module, also inside `cfg_attr` (then marked as conditional).
fn path_attributes(attrs: &[syn::Attribute], known: Known) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for attr in attrs {
        if let Meta::NameValue(pair) = &attr.meta
            && pair.path.is_ident("path")
            && let Expr::Lit(ExprLit { lit: Lit::Str(path), .. }) = &pair.value
        {
            found.push((path.value(), false));
        } else if let Meta::List(list) = &attr.meta
            && list.path.is_ident("cfg_attr")
        {
            let parts = token_list(list.tokens.clone());
            let pred = parts.first().map(|part| known.eval(&part.tokens())).unwrap_or_default();
            for part in parts.iter().skip(1).filter(|_| pred != Some(false)) {
                if let Ok(Meta::NameValue(pair)) = syn::parse2(part.tokens())
                    && pair.path.is_ident("path")
                    && let Expr::Lit(ExprLit { lit: Lit::Str(path), .. }) = &pair.value
                {
                    found.push((path.value(), pred != Some(true)));
                }
            }
        }
    }
    found
}
