//! Compiles the view of one cargo target to an image, or its errors to records of the table.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::cache::Key;
use crate::calls::CallGraph;
use crate::device::{self, DeviceLayer};
use crate::error::{Error, Result, io};
use crate::inputs::Inputs;
use crate::package::{CargoTarget, Package};
use crate::ptx::Summary;
use crate::rustc::{self, Compiled, Compiler};
use crate::table::{Kernel, Status, Target};
use crate::trim;
use crate::view::{KernelItem, Owner, RustcMessage, RustcSpan, TableError, View};

/// What all compilations of one package share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub inputs: &'a Inputs,
    pub package: &'a Package,
    /// `OUT_DIR/warpweft`.
    pub dir: &'a Path,
    pub compiler: &'a Compiler,
    pub layer: &'a DeviceLayer,
}

/// One variant of one cargo target.
pub(crate) struct Job {
    pub target: CargoTarget,
    /// Compiled with `cfg(test)`.
    pub test: bool,
    pub view: View,
    /// The library of the package, when this target can import it and it has device code.
    pub library: Option<Library>,
    /// The job before this one makes the same image.
    pub shared: bool,
}

/// The library of the package as the package's other targets import it.
#[derive(Clone)]
pub(crate) struct Library {
    pub crate_name: String,
    inner: Arc<LibraryInner>,
}

struct LibraryInner {
    target: CargoTarget,
    view: View,
    rlib: OnceLock<Result<Rlib, Failure>>,
}

/// A compiled library.
pub(crate) struct Rlib {
    pub path: PathBuf,
    /// Changes with its contents.
    pub key: String,
}

/// Why a crate gave no result.
pub(crate) enum Failure {
    /// The compiler reported errors, or died.
    Compiler(Compiled),
    /// It could not be run.
    Other(Error),
}

impl Library {
    pub fn new(target: &CargoTarget, view: View) -> Self {
        let inner = LibraryInner { target: target.clone(), view, rlib: OnceLock::new() };
        Library { crate_name: target.crate_name.clone(), inner: Arc::new(inner) }
    }

    /// The compiled library. Its entry shims are left out: they belong to the image of the library itself.
    pub fn rlib(&self, context: &Context<'_>) -> Result<&Rlib, &Failure> {
        self.inner.rlib.get_or_init(|| self.compile(context)).as_ref()
    }

    fn compile(&self, context: &Context<'_>) -> Result<Rlib, Failure> {
        let LibraryInner { target, view, .. } = &*self.inner;
        let work = context.dir.join("work").join("library");
        let mut key = context.key(target, false);
        add_view(&mut key, view);
        let key = key.finish();
        let path = work.join(format!("lib{}.rlib", self.crate_name));
        let stamp = work.join("stamp");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == key) && path.is_file() {
            return Ok(Rlib { path, key });
        }
        let root = write_view(view, &work)?;
        let mut command = context.compiler.command(&self.crate_name, &target.edition);
        rustc::no_std(&mut command);
        context.configure(&mut command, target, false, view, &work);
        command.args(["--crate-type=rlib", "-Cmetadata=library", "--cfg", "warpweft_library"]);
        command.arg("--emit").arg(rustc::assign("link", &path)).arg(root);
        let compiled = rustc::compile(&mut command)?;
        if !compiled.success {
            return Err(Failure::Compiler(compiled));
        }
        std::fs::write(&stamp, &key).map_err(io("write", &stamp))?;
        Ok(Rlib { path, key })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Other(error)
    }
}

impl Context<'_> {
    /// A hash of all that decides what a crate compiles to, but for its text.
    fn key(&self, target: &CargoTarget, test: bool) -> Key {
        let mut key = self.compiler.key().with(&self.layer.key);
        key.add(&target.key).add(&target.crate_name).add(&target.edition).add([u8::from(test)]);
        for text in self.inputs.features.iter().chain(&self.inputs.cfgs) {
            key.add(text);
        }
        for (name, value) in &self.inputs.package_env {
            key.add(name).add(value);
        }
        key
    }

    /// Adds what depends on the package: features, cfgs, what `env!` sees, names of places, the device layer.
    fn configure(&self, command: &mut Command, target: &CargoTarget, test: bool, view: &View, work: &Path) {
        for feature in &self.inputs.features {
            command.arg("--cfg").arg(format!("feature=\"{feature}\""));
        }
        for cfg in &self.inputs.cfgs {
            command.arg("--cfg").arg(cfg);
        }
        if test {
            command.args(["--cfg", "test"]);
        }
        command.envs(self.inputs.package_env.iter().map(|(name, value)| (name, value)));
        command.env("CARGO_CRATE_NAME", &target.crate_name).env("OUT_DIR", &self.inputs.out_dir);
        command.arg("--remap-path-prefix").arg(device::remap(&work.join("view"), &self.printed(&view.base)));
        self.layer.add_to(command);
    }

    /// A path as the host compiler prints it: relative to the root of the workspace where it lies in it.
    fn printed(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.package.workspace_root).unwrap_or(path).to_owned()
    }

    /// Makes the places of a message absolute again.
    fn absolute(&self, message: &mut RustcMessage) {
        for span in &mut message.spans {
            self.absolute_span(span);
        }
        for child in &mut message.children {
            self.absolute(child);
        }
    }

    fn absolute_span(&self, span: &mut RustcSpan) {
        let path = Path::new(&span.file);
        let absolute = self.package.workspace_root.join(path);
        if path.is_relative() && absolute.is_file() {
            span.file = absolute.to_string_lossy().into_owned();
        }
        if let Some(call) = &mut span.expansion {
            self.absolute_span(call);
        }
    }
}

/// Writes a view into `work/view`, replacing what lies there.
fn write_view(view: &View, work: &Path) -> Result<PathBuf> {
    let dir = work.join("view");
    match std::fs::remove_dir_all(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io("remove", dir)(error)),
        _ => {}
    }
    std::fs::create_dir_all(&dir).map_err(io("create", &dir))?;
    view.write(&dir).map_err(io("write the device view to", dir))
}

/// Compiles all jobs, several at once, and returns their records in the order of the jobs.
pub(crate) fn compile_all(context: &Context<'_>, jobs: &[Job]) -> Vec<Target> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Target>>> = Mutex::new(vec![None; jobs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..context.inputs.jobs.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((index, job)) =
                    jobs.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    if !job.shared {
                        let record = job.compile(context);
                        done.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(record);
                    }
                }
            });
        }
    });
    let mut records: Vec<Target> = Vec::new();
    for (job, record) in jobs.iter().zip(done.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        let shared = records.last().filter(|_| job.shared).map(|plain| Target {
            key: job.key(),
            test: true,
            ..plain.clone()
        });
        records.push(record.or(shared).unwrap_or_else(|| job.record(Status::Failed)));
    }
    records
}

impl Job {
    /// The name of this variant; no target name holds a dot.
    fn key(&self) -> String {
        let suffix = if self.test && !self.target.kind.is_test() { ".test" } else { "" };
        format!("{}{suffix}", self.target.key)
    }

    /// A record without an image, with all kernels and the errors that the view itself has.
    pub fn record(&self, status: Status) -> Target {
        Target {
            key: self.key(),
            kind: self.target.kind.name(),
            crate_name: self.target.crate_name.clone(),
            test: self.test,
            image: String::new(),
            image_id: String::new(),
            status,
            kernels: self.view.kernels.iter().map(kernel).collect(),
            errors: Vec::new(),
            unparsed: self.view.unparsed.clone(),
        }
    }

    fn compile(&self, context: &Context<'_>) -> Target {
        if self.view.files.is_empty() {
            return self.record(Status::Empty);
        }
        let image = match self.image(context) {
            Ok(image) => image,
            Err(failure) => return self.failed(self.explain(context, failure)),
        };
        let mut errors = self.view.explain(&[]);
        let summary = Summary::read(&image.ptx);
        let present = |kernel: &&KernelItem| summary.entries.contains(&kernel.symbol.as_str());
        for kernel in self.view.kernels.iter().filter(|kernel| !present(kernel)) {
            let reason = if kernel.conditional {
                "one of its `#[cfg]` conditions is off on the GPU (nvptx64-nvidia-cuda), so that it has no GPU code"
                    .to_owned()
            } else {
                format!("the compiler left its entry `{}` out of the PTX", kernel.symbol)
            };
            errors.push(at(&kernel.owner, format!("kernel `{}`: {reason}", kernel.owner.name)));
        }
        for (entry, caller) in CallGraph::read(&image.ptx).through_pointers() {
            let kernel = self.view.kernels.iter().find(|kernel| kernel.symbol == entry);
            errors
                .extend(kernel.map(|kernel| at(&kernel.owner, through_pointer(&kernel.owner.name, caller))));
        }
        let here = self.first_owner();
        errors.extend(summary.faults(&context.compiler.arch).into_iter().map(|fault| at(&here, fault)));
        // A kernel that is not there on the device breaks only its own users: its record says so.
        let whole = errors.iter().all(|error| {
            self.view.kernels.iter().any(|kernel| kernel.conditional && kernel.owner == error.owner)
        });
        if !whole {
            return self.failed(errors);
        }
        if self.view.kernels.is_empty() {
            return Target { errors, ..self.record(Status::Empty) };
        }
        Target { errors, image: image.file, image_id: image.id, ..self.record(Status::Ok) }
    }

    fn failed(&self, errors: Vec<TableError>) -> Target {
        Target { errors, ..self.record(Status::Failed) }
    }

    /// Compiles the view, or takes the image of an earlier build that was made from the same.
    fn image(&self, context: &Context<'_>) -> Result<Image, Failure> {
        let name = self.key();
        let work = context.dir.join("work").join(&name);
        let mut key = context.key(&self.target, self.test);
        add_view(&mut key, &self.view);
        let library = self.library.as_ref().filter(|library| mentions(&self.view, &library.crate_name));
        let library = match library {
            Some(library) => match library.rlib(context) {
                Ok(rlib) => Some((library, rlib)),
                // The library's own record tells the errors; without it nothing can be said about this target.
                Err(_) => return Err(Failure::Compiler(Compiled::default())),
            },
            None => None,
        };
        if let Some((_, rlib)) = library {
            key.add(&rlib.key);
        }
        let key = key.finish();
        let file = format!("{name}.ptx");
        let (path, stamp) = (context.dir.join(&file), work.join("stamp"));
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == key)
            && let Ok(ptx) = std::fs::read_to_string(&path)
        {
            return Ok(Image::new(file, ptx));
        }
        let root = write_view(&self.view, &work)?;
        let made = work.join("image.ptx");
        let has_kernels = !self.view.kernels.is_empty();
        let mut command = if has_kernels {
            let link = work.join("image.a");
            context.compiler.image_command(&self.target.crate_name, &self.target.edition, &made, &link)
        } else {
            let mut command = context.compiler.command(&self.target.crate_name, &self.target.edition);
            rustc::no_std(&mut command);
            command.arg("--crate-type=rlib");
            command.arg("--emit").arg(rustc::assign("metadata", &work.join("check.rmeta")));
            command
        };
        context.configure(&mut command, &self.target, self.test, &self.view, &work);
        command.arg(format!("-Cmetadata={name}"));
        if let Some((library, rlib)) = library {
            command.arg("--extern").arg(rustc::assign(&library.crate_name, &rlib.path));
        }
        let compiled = rustc::compile(command.arg(root))?;
        if !compiled.success {
            return Err(Failure::Compiler(compiled));
        }
        let ptx = if has_kernels {
            // Nobody reads the object file; a program may hold hundreds of images.
            let _ = std::fs::remove_file(work.join("image.a"));
            let ptx = std::fs::read_to_string(&made).map_err(io("read", &made))?;
            let ptx = trim::unreachable_functions(&ptx);
            std::fs::write(&made, &ptx).map_err(io("write", &made))?;
            std::fs::rename(&made, &path).map_err(io("move into place", &path))?;
            ptx
        } else {
            format!(".target {}\n", context.compiler.arch)
        };
        std::fs::write(&stamp, &key).map_err(io("write", &stamp))?;
        Ok(Image::new(file, ptx))
    }

    /// Turns a failure into records; there is at least one, unless the library is to blame.
    fn explain(&self, context: &Context<'_>, failure: Failure) -> Vec<TableError> {
        let owner = self.first_owner();
        let mut compiled = match failure {
            Failure::Compiler(compiled) => compiled,
            Failure::Other(error) => return vec![at(&owner, error.to_string())],
        };
        for message in &mut compiled.messages {
            context.absolute(message);
        }
        let mut errors = self.view.explain(&compiled.messages);
        let said = compiled.errors().next().map(|error| error.message.clone());
        let said =
            said.or_else(|| (!compiled.rest.trim().is_empty()).then(|| compiled.rest.trim().to_owned()));
        if errors.is_empty()
            && let Some(said) = said
        {
            let kernel = self.view.kernels.iter().find(|kernel| compiled.rest.contains(&kernel.symbol));
            let owner = kernel.map_or(owner, |kernel| kernel.owner.clone());
            errors.push(at(&owner, format!("the device compiler failed: {}", shorten(&said))));
        }
        errors
    }

    fn first_owner(&self) -> Owner {
        let kernels = self.view.kernels.iter().map(|kernel| &kernel.owner);
        kernels.chain(&self.view.device_items).next().cloned().unwrap_or_else(|| Owner {
            name: self.target.crate_name.clone(),
            file: self.target.root.clone(),
            line: 1,
            column: 1,
        })
    }
}

/// The PTX of a target.
struct Image {
    file: String,
    id: String,
    ptx: String,
}

impl Image {
    fn new(file: String, ptx: String) -> Self {
        Image { file, id: Key::new().with(&ptx).finish_short(), ptx }
    }
}

fn kernel(item: &KernelItem) -> Kernel {
    Kernel { owner: item.owner.clone(), symbol: item.symbol.clone() }
}

fn at(owner: &Owner, message: String) -> TableError {
    TableError {
        owner: owner.clone(),
        file: owner.file.clone(),
        line: owner.line,
        column: owner.column,
        message,
        shared: false,
    }
}

/// Says that a kernel reaches a call through a pointer, which the function of this symbol makes.
fn through_pointer(kernel: &str, caller: &str) -> String {
    // The crate and module as both schemes of mangling write them.
    if caller.contains("4core3fmt") {
        return format!(
            "kernel `{kernel}` formats text with `core::fmt`, which calls functions through pointers, and ptxas is known \
             to miscompile such calls: write the values to a buffer and format them on the host"
        );
    }
    format!(
        "kernel `{kernel}` calls a function through a pointer (a `fn` pointer or `dyn`), which ptxas is known to \
         miscompile: make it generic over the function or closure (`F: Fn(..)`), or match on an enum"
    )
}

/// Adds all that a view holds to a hash.
fn add_view(key: &mut Key, view: &View) {
    key.add(view.base.as_os_str().as_encoded_bytes());
    for file in &view.files {
        key.add(file.relative.as_os_str().as_encoded_bytes()).add(&file.text);
    }
    for file in &view.included {
        key.add(file.relative.as_os_str().as_encoded_bytes()).add(&file.bytes);
    }
}

fn mentions(view: &View, name: &str) -> bool {
    view.files.iter().any(|file| file.text.contains(name))
}

/// The first lines of a long text.
fn shorten(text: &str) -> String {
    text.lines().take(12).collect::<Vec<_>>().join("\n")
}
