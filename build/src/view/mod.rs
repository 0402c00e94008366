//! The device view of a cargo target: copies of its source files in which everything that is not device code
//! is blanked in place, with the entry shims of its kernels appended.
//!
//! One space stands for each blanked character and all white space is kept, so that every line and column that
//! rustc reports is a place in the user's own file.

mod attrs;
mod emit;
mod explain;
mod marks;
mod mask;
mod resolve;
mod shim;
mod source;
mod table;
mod traps;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use marks::Known;
use traps::Traps;

/// What to make a view of: one cargo target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Crate name as rustc knows it (`CARGO_CRATE_NAME`); entry symbols start with it.
    pub crate_name: String,
    /// Absolute path of the target's root file.
    pub root: PathBuf,
    /// The view is compiled with `--cfg test`.
    pub test: bool,
    /// Names under which other crates can be imported on the device: `warpweft` and the `--extern`s of the
    /// device build. Other external names are dropped without asking the probe.
    pub externs: Vec<String>,
    /// Names of crates that the host can import.
    pub dependencies: Vec<String>,
}

/// Answers which imports of other crates exist on the device.
pub trait Probe {
    /// Says for each leaf whether `use LEAF;` compiles in a device crate that has the externs of the target and
    /// `extern crate core as std;`.
    ///
    /// A leaf is text such as `std::ops::Add`, `warpweft::prelude::*` or `std::fmt::{self}`; each must be tried
    /// in a scope of its own (`mod l0 { #[allow(unused_imports)] use LEAF; }`), for two leaves may bind one name.
    fn resolves(&self, leaves: &[String]) -> Vec<bool>;
}

/// A fault found while the view was made. The host compiler reports it as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// File that cannot be read or does not parse.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// The name of an annotated item, at its place in the user's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The item's name; for an impl the last name in the path of its type.
    pub name: String,
    /// The user's file.
    pub file: PathBuf,
    /// Line of the name, from 1.
    pub line: usize,
    /// Column of the name in characters, from 1.
    pub column: usize,
}

/// A kernel of the target.
#[derive(Clone, Debug)]
pub struct KernelItem {
    /// Name and place.
    pub owner: Owner,
    /// Name of the entry in the PTX.
    pub symbol: String,
    /// A `#[cfg]` on the kernel or on a module around it may remove it: its absence from the PTX is no fault.
    pub conditional: bool,
}

/// One file of the view.
#[derive(Clone, Debug)]
pub struct ViewFile {
    /// Where the text belongs in the written tree, so that `mod x;` and `#[path]` resolve.
    pub relative: PathBuf,
    /// The blanked text with its shims.
    pub text: String,
}

/// A file that code of the view includes by a relative path.
#[derive(Clone, Debug)]
pub struct Included {
    /// Where it belongs in the written tree.
    pub relative: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The device view of one target.
#[derive(Clone, Debug)]
pub struct View {
    /// The directory that the written tree mirrors: remap the tree to it with `--remap-path-prefix`.
    pub base: PathBuf,
    /// The files of the view, the crate root first; no files when the target has no device code.
    pub files: Vec<ViewFile>,
    /// What the files include with `include_bytes!` and its like.
    pub included: Vec<Included>,
    /// The kernels, in source order.
    pub kernels: Vec<KernelItem>,
    /// Annotated items that are no kernels.
    pub device_items: Vec<Owner>,
    /// Every file that was read or whose appearance would change the view.
    pub watched: Vec<PathBuf>,
    /// Files that cannot be read or do not parse; the host compiler reports them, so the build need not.
    pub unparsed: Vec<Diagnostic>,
    /// Faults found before rustc runs. `explain` returns them too.
    pub errors: Vec<TableError>,
    index: Arc<explain::Index>,
}

/// One `error` record of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The annotated item whose macro reports the error.
    pub owner: Owner,
    /// File of the fault.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The text of the compile error.
    pub message: String,
    /// The host compiler most probably says the same at the same place, and the macro can find out.
    pub shared: bool,
}

/// A message of rustc's JSON output, as far as it is needed here.
#[derive(Clone, Debug, Default)]
pub struct RustcMessage {
    /// `error`, `warning`, `note`, `help`, `failure-note`.
    pub level: String,
    /// The text.
    pub message: String,
    /// The error code, such as `E0425`.
    pub code: Option<String>,
    /// The places.
    pub spans: Vec<RustcSpan>,
    /// Notes and help.
    pub children: Vec<RustcMessage>,
}

/// A place in a [`RustcMessage`].
#[derive(Clone, Debug, Default)]
pub struct RustcSpan {
    /// `file_name`, as printed: a path in the written tree or, remapped, in the user's.
    pub file: String,
    /// `line_start`.
    pub line: usize,
    /// `column_start`.
    pub column: usize,
    /// `line_end`.
    pub line_end: usize,
    /// `column_end`.
    pub column_end: usize,
    /// `is_primary`.
    pub is_primary: bool,
    /// `label`.
    pub label: Option<String>,
    /// `suggested_replacement`.
    pub suggestion: Option<String>,
    /// `expansion.span`: where the macro was called.
    pub expansion: Option<Box<RustcSpan>>,
}

/// Makes the device view of a target.
///
/// A target without device code gives a view without files, without running the probe.
///
/// # Errors
/// The root file cannot be read or does not parse. (Other such files are listed in [`View::unparsed`].)
pub fn make(target: &Target, probe: &dyn Probe) -> Result<View, Vec<Diagnostic>> {
    let known = Known { test: target.test };
    let sources = source::load(&target.root, known)?;
    let mut view = View::unreadable(target, sources.unparsed.clone());
    view.watched.clone_from(&sources.watched);
    if sources.files.is_empty() {
        return Ok(view);
    }
    let symbol = |names: &[String]| shim::symbol(&target.crate_name, names);
    let mut table = table::survey(&sources, known, &symbol);
    if table.owned.is_empty() {
        return Ok(view);
    }
    resolve::decide(&mut table, &target.externs, probe);
    let mut traps =
        Traps { table: &table, externs: &target.externs, found: Vec::new(), included: Vec::new() };
    let emitted = emit::emit(&sources, &table, known, &mut traps);
    let Traps { found: traps, included, .. } = traps;

    // An absolute path is the same in the written tree.
    let included: Vec<PathBuf> = included
        .iter()
        .filter(|(_, path)| Path::new(path).is_relative())
        .filter_map(|(file, path)| Some(source::normal(&sources.files[*file].place.parent()?.join(path))))
        .collect();
    let places = emitted.iter().map(|file| sources.files[file.file].place.as_path());
    view.base = common_dir(places.chain(included.iter().map(PathBuf::as_path)));
    for path in included {
        let relative = path.strip_prefix(&view.base).unwrap_or(&path).to_path_buf();
        // One that cannot be read is a fault that the host compiler reports at the macro.
        if let Ok(bytes) = std::fs::read(&path)
            && !view.included.iter().any(|known| known.relative == relative)
        {
            view.included.push(Included { relative, bytes });
        }
        view.watched.push(path);
    }
    view.kernels = table.kernels.iter().map(|(_, _, kernel)| kernel.clone()).collect();
    let others = table.owned.iter().filter(|owned| !owned.kernel);
    view.device_items = others.map(|owned| owned.owner.clone()).collect();
    let relative = |index: usize| {
        let place = &sources.files[index].place;
        place.strip_prefix(&view.base).unwrap_or(place).to_path_buf()
    };
    view.files = emitted
        .iter()
        .map(|file| ViewFile { relative: relative(file.file), text: file.text.clone() })
        .collect();
    let files = sources.files.iter().enumerate().map(|(index, source)| explain::File {
        path: source.path.clone(),
        relative: relative(index),
        text: source.text.clone(),
        emitted: emitted.iter().find(|file| file.file == index).cloned(),
    });
    let index = explain::Index {
        files: files.collect(),
        externs: target.externs.clone(),
        dependencies: target.dependencies.clone(),
        table,
    };
    view.errors = index.early(traps);
    view.index = Arc::new(index);
    Ok(view)
}

/// The deepest directory that holds all files.
fn common_dir<'a>(files: impl Iterator<Item = &'a Path>) -> PathBuf {
    files
        .map(|file| file.parent().unwrap_or(Path::new("")).to_path_buf())
        .reduce(|a, b| {
            a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        })
        .unwrap_or_default()
}

impl View {
    /// A view without files, for a target whose root cannot be read or does not parse.
    pub fn unreadable(target: &Target, unparsed: Vec<Diagnostic>) -> View {
        View {
            base: target.root.parent().unwrap_or(Path::new("")).to_path_buf(),
            files: Vec::new(),
            included: Vec::new(),
            kernels: Vec::new(),
            device_items: Vec::new(),
            watched: vec![target.root.clone()],
            unparsed,
            errors: Vec::new(),
            index: Arc::default(),
        }
    }

    /// Turns rustc's messages about the view into errors for the table: each fault once, warnings dropped,
    /// blanked names explained, the errors of [`View::errors`] among them.
    pub fn explain(&self, messages: &[RustcMessage]) -> Vec<TableError> {
        let mut errors = self.errors.clone();
        for (error, in_shim) in messages.iter().flat_map(|message| self.index.explain(message)) {
            let same_place = |known: &TableError| {
                (&known.file, known.line, known.column) == (&error.file, error.line, error.column)
            };
            let fault = |error: &TableError| error.message.lines().next().unwrap_or_default().to_owned();
            // A shim names each parameter's type several times, and a view's own error goes first.
            let same = |known: &TableError| in_shim || fault(known) == fault(&error);
            let early = self.errors.iter().any(same_place);
            if !early && !errors.iter().any(|known| same_place(known) && same(known)) {
                errors.push(error);
            }
        }
        errors
    }

    /// Writes the files of the view into `dir` and returns the path of the crate root there.
    ///
    /// # Errors
    /// A file or directory cannot be written.
    pub fn write(&self, dir: &Path) -> std::io::Result<PathBuf> {
        let texts = self.files.iter().map(|file| (&file.relative, file.text.as_bytes()));
        let included = self.included.iter().map(|file| (&file.relative, file.bytes.as_slice()));
        for (relative, bytes) in texts.chain(included) {
            let path = dir.join(relative);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, bytes)?;
        }
        Ok(self.files.first().map_or_else(|| dir.to_path_buf(), |root| dir.join(&root.relative)))
    }
}

#[cfg(test)]
mod tests;
