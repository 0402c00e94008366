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
    /// The crate is one that the user asked cargo for, so that its lints are not capped.
    pub primary: bool,
    /// Documentation is made, or the code of a documentation example is compiled, which no build helper can see.
    /// (rustdoc does not see the `--cfg sim` of RUSTFLAGS, so that its cfg says nothing.)
    pub docs: bool,
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

const SIM_MISMATCH: &str = "the build script ran under `--cfg sim` and `warpweft` is compiled without it: \
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
            primary: std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some(),
            docs: std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some() || process_is("rustdoc"),
            editor: std::env::var_os("RUST_ANALYZER_INTERNALS_DO_NOT_USE").is_some()
                || process_is("rust-analyzer"),
        }
    }

    /// Finds and reads the table.
    pub fn device(&self) -> Device {
        if self.docs || self.crate_name.is_none() {
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

/// Whether this process runs a program whose name begins so.
fn process_is(name: &str) -> bool {
    std::env::current_exe()
        .is_ok_and(|exe| exe.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with(name)))
}

fn table_path(out_dir: &Path) -> PathBuf {
    out_dir.join("warpweft").join("table.tsv")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a table of this text means to a crate, in a compiler or in an editor.
    fn device(name: &str, text: Option<&str>, editor: bool) -> String {
        let out_dir = std::env::temp_dir().join(format!("warpweft-macros-{}-{name}", std::process::id()));
        std::fs::create_dir_all(out_dir.join("warpweft")).unwrap();
        let table = table_path(&out_dir);
        match text {
            Some(text) => std::fs::write(table, text).unwrap(),
            None => {
                let _ = std::fs::remove_file(table);
            }
        }
        let unit =
            Unit { crate_name: Some("demo".to_owned()), out_dir: Some(out_dir), editor, ..Unit::default() };
        match unit.device() {
            Device::SimulatorOnly => "simulator".to_owned(),
            Device::Fault(message) => message,
            Device::Table(_) => "table".to_owned(),
        }
    }

    #[test]
    fn each_mode_has_its_meaning() {
        let head = "warpweft-table\t1\nmode\t";
        assert_eq!(device("ptx", Some(&format!("{head}ptx\n")), false), "table");
        assert_eq!(device("docs", Some(&format!("{head}docs\n")), false), "simulator");
        assert_eq!(device("sim", Some(&format!("{head}sim\n")), false), SIM_MISMATCH);
        assert_eq!(
            device("none", Some(&format!("{head}none\nremedy\tget one\\nor two\n")), false),
            "get one\nor two"
        );
        assert_eq!(device("absent", None, false), NO_BUILD_SCRIPT);
        let message = device("old", Some("warpweft-table\t0\n"), false);
        assert!(message.contains("version 0") && message.contains("same version"), "{message}");
    }

    #[test]
    fn an_editor_is_not_told_of_faults() {
        for (name, text) in [("e1", None), ("e2", Some("warpweft-table\t1\nmode\tnone\n")), ("e3", Some("?"))]
        {
            assert_eq!(device(name, text, true), "simulator");
        }
        assert_eq!(device("e4", Some("warpweft-table\t1\nmode\tptx\n"), true), "table");
    }

    #[test]
    fn without_cargo_or_in_a_doctest_there_is_no_device_code() {
        assert!(matches!(Unit::default().device(), Device::SimulatorOnly));
        let docs = Unit { crate_name: Some("demo".to_owned()), docs: true, ..Unit::default() };
        assert!(matches!(docs.device(), Device::SimulatorOnly));
    }
}
