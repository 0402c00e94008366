//! The device build of one package: from its cargo targets to a table and images.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::arch::{self, Arch};
use crate::cache::Cache;
use crate::device::{self, DeviceLayer};
use crate::error::{Error, Result, io};
use crate::inputs::Inputs;
use crate::package::{self, CargoTarget, Kind, Package};
use crate::probe::Prober;
use crate::rustc::Compiler;
use crate::table::{Mode, Status, Table, Target};
use crate::target::{self, Context, Job, Library};
use crate::toolchain;
use crate::view::{self, View};

/// What a device build tells cargo.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub table: Table,
    /// Files and directories whose change must bring the build script back.
    pub watched: BTreeSet<PathBuf>,
    /// What was lacking may be mended by something that cargo cannot watch: come back in any case.
    pub again: bool,
}

impl Outcome {
    fn new(table: Table) -> Self {
        Outcome { table, watched: BTreeSet::new(), again: false }
    }

    /// A table that makes each kernel a compile error with the text of `error`.
    pub fn unusable(error: &Error) -> Self {
        Outcome { again: true, ..Outcome::new(Table::unusable(error.to_string())) }
    }
}

/// The compiler and the device layer, found or built when the first device code turns up.
struct Tools {
    compiler: Compiler,
    layer: DeviceLayer,
}

/// One build in progress.
struct Build<'a> {
    inputs: &'a Inputs,
    package: Package,
    /// `OUT_DIR/warpweft`.
    dir: PathBuf,
    tools: OnceCell<Result<Tools>>,
}

/// Builds the device code of a package and writes its table and images.
pub(crate) fn run(inputs: &Inputs) -> Result<Outcome> {
    let dir = inputs.out_dir.join("warpweft");
    std::fs::create_dir_all(&dir).map_err(io("create", &dir))?;
    let mut outcome = if inputs.sim {
        Outcome::new(Table::empty(Mode::Sim))
    } else if inputs.docs {
        Outcome::new(Table::empty(Mode::Docs))
    } else {
        build(inputs, &dir).unwrap_or_else(|error| Outcome::unusable(&error))
    };
    let build_script = inputs.manifest_dir.join("build.rs");
    outcome.watched.insert(inputs.manifest_dir.join("Cargo.toml"));
    outcome.watched.extend(build_script.is_file().then_some(build_script));
    outcome.table.write(&dir)?;
    remove_old(&dir, &outcome.table);
    Ok(outcome)
}

fn build(inputs: &Inputs, dir: &Path) -> Result<Outcome> {
    let package = package::read(&inputs.cargo, &inputs.manifest_dir, &inputs.features)?;
    let build = Build { inputs, package, dir: dir.to_owned(), tools: OnceCell::new() };
    let mut watched = target_directories(&inputs.manifest_dir);
    let mut jobs = Vec::new();
    let mut library: Option<Library> = None;
    for cargo_target in &build.package.targets {
        let variants: &[bool] = if cargo_target.kind.is_test() { &[true] } else { &[false, true] };
        for &test in variants {
            let view = build.view(cargo_target, test, library.as_ref(), &mut watched);
            if cargo_target.kind == Kind::Lib && !test && !view.files.is_empty() {
                library = Some(Library::new(cargo_target, view.clone()));
            }
            let library = if cargo_target.kind == Kind::Lib { None } else { library.clone() };
            jobs.push(Job { target: cargo_target.clone(), test, view, library, shared: false });
        }
    }
    share_images(&mut jobs);
    let mut again = false;
    let table = if jobs.iter().all(|job| job.view.files.is_empty()) && build.tools.get().is_none() {
        let targets = jobs.iter().map(|job| job.record(Status::Empty)).collect();
        Table { targets, ..Table::empty(Mode::Ptx) }
    } else {
        match build.tools() {
            Ok(tools) => {
                watched.extend(tools.layer.files.iter().cloned());
                watched.insert(tools.compiler.toolchain.rustc.clone());
                let context = build.context(tools);
                Table { targets: target::compile_all(&context, &jobs), ..Table::empty(Mode::Ptx) }
            }
            Err(error) => {
                again = true;
                Table::unusable(error.to_string())
            }
        }
    };
    Ok(Outcome { table, watched, again })
}

impl Build<'_> {
    fn context<'a>(&'a self, tools: &'a Tools) -> Context<'a> {
        let Tools { compiler, layer } = tools;
        Context { inputs: self.inputs, package: &self.package, dir: &self.dir, compiler, layer }
    }

    /// The tools, looked for once.
    fn tools(&self) -> Result<&Tools, &Error> {
        self.tools.get_or_init(|| self.prepare()).as_ref()
    }

    fn prepare(&self) -> Result<Tools> {
        let inputs = self.inputs;
        let arch = match (&inputs.arch, &self.package.arch) {
            (Some(value), _) => arch::from_setting(arch::VARIABLE, value)?,
            (None, Some(value)) => arch::from_setting("package.metadata.warpweft.arch", value)?,
            (None, None) => Arch::default(),
        };
        let root = inputs.device_root.clone().ok_or(Error::NoRuntime("DEP_WARPWEFT_DEVICE_ROOT"))?;
        let bitcode = inputs.bitcode.clone().ok_or(Error::NoRuntime("DEP_WARPWEFT_BITCODE"))?;
        let cache = Cache::open(&inputs.out_dir.join("warpweft-cache"))?;
        let compiler = Compiler::new(toolchain::find()?, arch, inputs.checks, &cache)?;
        let sources = device::Sources {
            root,
            bitcode,
            cargo: inputs.cargo.clone(),
            manifest_dir: inputs.manifest_dir.clone(),
            workspace_root: self.package.workspace_root.clone(),
        };
        let layer = DeviceLayer::prepare(&compiler, &sources, &cache)?;
        Ok(Tools { compiler, layer })
    }

    /// The view of a target; one without files when its root does not parse: the host compiler says why.
    fn view(
        &self,
        target: &CargoTarget,
        test: bool,
        library: Option<&Library>,
        watched: &mut BTreeSet<PathBuf>,
    ) -> View {
        let library = library.filter(|_| target.kind != Kind::Lib);
        let mut externs = vec!["warpweft".to_owned()];
        externs.extend(library.map(|library| library.crate_name.clone()));
        let question = view::Target {
            crate_name: target.crate_name.clone(),
            root: target.root.clone(),
            test,
            externs,
            dependencies: self.package.dependencies.clone(),
        };
        let context = || self.tools().ok().map(|tools| self.context(tools));
        let probe = Prober { context: &context, edition: &target.edition, library };
        watched.insert(target.root.clone());
        let view = view::make(&question, &probe).unwrap_or_else(|faults| View::unreadable(&question, faults));
        // A file that is missing would bring the build script back every time. That is right only while
        // the host compiler complains about it too.
        let missed = |path: &PathBuf| view.unparsed.iter().any(|fault| fault.file == *path);
        watched.extend(view.watched.iter().filter(|path| path.exists() || missed(path)).cloned());
        view
    }
}

/// Lets the test variant of a library or program use the plain image where `cfg(test)` cannot matter to it.
fn share_images(jobs: &mut [Job]) {
    for index in 1..jobs.len() {
        let (before, rest) = jobs.split_at_mut(index);
        let (plain, test) = (&before[index - 1], &mut rest[0]);
        let pair = plain.target.key == test.target.key && !plain.test && test.test;
        let same = || {
            let texts =
                |view: &View| -> Vec<String> { view.files.iter().map(|file| file.text.clone()).collect() };
            texts(&plain.view) == texts(&test.view)
                && !plain.view.files.iter().any(|file| asks_for_test(&file.text))
        };
        test.shared = pair && same();
    }
}

/// Whether a `cfg` in the text may ask for `test`: the word appears after `cfg` in the same pair of brackets.
fn asks_for_test(text: &str) -> bool {
    text.match_indices("cfg").any(|(at, _)| {
        let condition = text[at..].split(']').next().unwrap_or_default();
        condition.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
    })
}

/// The directories in which cargo finds targets by itself, so that a new file there is seen. Where other things
/// than Rust sources lie, a program may write there at each run, and only the files that are known count.
fn target_directories(manifest_dir: &Path) -> BTreeSet<PathBuf> {
    let candidates = ["src/bin", "examples", "tests", "benches"].map(|name| manifest_dir.join(name));
    candidates.into_iter().filter(|dir| dir.is_dir() && holds_only_rust(dir)).collect()
}

fn holds_only_rust(dir: &Path) -> bool {
    let Ok(entries) = dir.read_dir() else { return false };
    entries.flatten().all(|entry| {
        let path = entry.path();
        if path.is_dir() { holds_only_rust(&path) } else { path.extension().is_some_and(|ext| ext == "rs") }
    })
}

/// Removes images that the table does not name; they belong to targets that are gone.
fn remove_old(dir: &Path, table: &Table) {
    let named = |name: &str| table.targets.iter().any(|Target { image, .. }| image == name);
    for entry in dir.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".ptx") && !named(&name) {
            // An image that cannot be removed is never read either.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_condition_on_test_counts() {
        assert!(asks_for_test("#[cfg(test)]\nconst N: u32 = 1;"));
        assert!(asks_for_test("#[cfg(all(feature = \"x\", not(test)))]"));
        assert!(asks_for_test("if cfg!(test) { }]"));
        assert!(!asks_for_test("#[cfg(feature = \"tests\")] fn test() {}"));
        assert!(!asks_for_test("fn test() {}"));
    }

    #[test]
    fn directories_with_other_files_are_not_watched() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["examples/a/main.rs", "tests/t.rs", "tests/snapshots/t.snap"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        assert_eq!(target_directories(dir.path()), BTreeSet::from([dir.path().join("examples")]));
    }
}
