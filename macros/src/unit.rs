//! What is being compiled, as the environment of the compiler tells: crate, target, and where the table lies.

use std::path::{Path, PathBuf};

use crate::table::Table;

/// The compilation that this macro runs in.
#[derive(Debug, Clone, Default)]
pub struct Unit {
    /// `CARGO_CRATE_NAME`; absent when something other than cargo drives the compiler.
    pub crate_name: Option<String>,
    /// `CARGO_BIN_NAME`: set for bins and examples.
    pub bin_name: Option<String>,
    /// `OUT_DIR`: set when the package has a build script.
    pub out_dir: Option<PathBuf>,
    /// `CARGO_MANIFEST_DIR`: what the table's relative files are relative to.
    pub manifest_dir: Option<PathBuf>,
    /// Code of a documentation example, which no build helper can see.
    pub doctest: bool,
    /// An editor expands the macro, perhaps on text that is not saved yet: the table may be older than the text.
    pub editor: bool,
}

/// What the unit knows of device code.
pub enum Device {
    /// There is none, and that is right: kernels run on the simulator only.
    SimulatorOnly,
    /// There should be some. Said once per crate.
    Fault(String),
    /// The build helper's table.
    Table(Table),
}

const NO_BUILD_SCRIPT: &str = "no build script compiles this kernel for the GPU: add a build.rs with \
    `fn main() { warpweft_build::compile() }` and `warpweft-build` to [build-dependencies]; \
    or build for the simulator alone with `--cfg sim` in RUSTFLAGS";

const SIM_MISMATCH: &str = "the build script ran under `--cfg sim` and this crate is compiled without it: \
    set it for the whole build, in RUSTFLAGS or `build.rustflags`";

impl Unit {
    /// Reads the environment of this process.
    pub fn from_env() -> Self {
        let text = |name| std::env::var(name).ok();
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        Self {
            crate_name: text("CARGO_CRATE_NAME"),
            bin_name: text("CARGO_BIN_NAME"),
            out_dir: path("OUT_DIR"),
            manifest_dir: path("CARGO_MANIFEST_DIR"),
            doctest: std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some(),
            editor: std::env::var_os("RUST_ANALYZER_INTERNALS_DO_NOT_USE").is_some()
                || std::env::current_exe().is_ok_and(|exe| {
                    exe.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("rust-analyzer"))
                }),
        }
    }

    /// Finds and reads the table.
    pub fn device(&self) -> Device {
        if self.doctest || self.crate_name.is_none() {
            return Device::SimulatorOnly;
        }
        let Some(path) = self.out_dir.as_deref().map(table_path).filter(|path| path.exists()) else {
            return if self.editor {
                Device::SimulatorOnly
            } else {
                Device::Fault(NO_BUILD_SCRIPT.to_owned())
            };
        };
        let read = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        match read.and_then(|text| Table::parse(&text)) {
            Ok(table) => self.judge(table),
            Err(_) if self.editor => Device::SimulatorOnly,
            Err(why) => Device::Fault(format!(
                "the build helper's table `{}` cannot be read: {why}; use the same version of `warpweft` and \
                 `warpweft-build`",
                path.display()
            )),
        }
    }

    fn judge(&self, table: Table) -> Device {
        use crate::table::Mode;
        match table.mode {
            Mode::Ptx => Device::Table(table),
            Mode::Docs => Device::SimulatorOnly,
            _ if self.editor => Device::SimulatorOnly,
            Mode::Sim => Device::Fault(SIM_MISMATCH.to_owned()),
            Mode::None => Device::Fault(table.remedy),
        }
    }
}

fn table_path(out_dir: &Path) -> PathBuf {
    out_dir.join("warpweft").join("table.tsv")
}
