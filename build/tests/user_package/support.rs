//! Stand-alone packages, written and built as a user's would be.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use process_control::{ChildExt as _, Control as _};
use serde_json::Value;

/// No build of a test package may take longer: a nested build that waits for its parent's lock waits for ever.
const LIMIT: Duration = Duration::from_secs(900);

/// A package in a directory of its own, outside of any workspace, with blanks and more in its path.
pub struct UserPackage {
    pub dir: PathBuf,
    _parent: tempfile::TempDir,
}

/// What cargo said and did.
pub struct Built {
    pub success: bool,
    /// Compiler messages of the package itself, as rustc's JSON.
    pub messages: Vec<Value>,
    /// Packages that were compiled, and not taken from an earlier build.
    pub compiled: Vec<String>,
    pub out_dir: Option<PathBuf>,
    pub stderr: String,
    pub took: Duration,
}

impl UserPackage {
    /// Writes a package with the build script of the README.
    pub fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let parent = tempfile::Builder::new().prefix("warpweft user ü ").tempdir().unwrap();
        let package = UserPackage { dir: parent.path().join(name), _parent: parent };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        package.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                 [features]\nextra = []\n\
                 [dependencies]\nwarpweft = {{ path = '{root}/runtime' }}\n\
                 [build-dependencies]\nwarpweft-build = {{ path = '{root}/build' }}\n\
                 [workspace]\n",
                root = root.display()
            ),
        );
        package.write("build.rs", "fn main() { warpweft_build::compile() }\n");
        std::fs::copy(root.join("Cargo.lock"), package.dir.join("Cargo.lock")).unwrap();
        for (path, text) in files {
            package.write(path, text);
        }
        package
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Replaces text in a file, which must hold it.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.dir.join(path)).unwrap();
        assert!(text.contains(from), "{from:?} is not in {path}");
        // Cargo compares times of modification, some of them in whole seconds.
        std::thread::sleep(Duration::from_millis(1100));
        self.write(path, &text.replace(from, to));
    }

    /// Runs cargo. All test packages share one target directory, so that the dependencies are compiled once.
    pub fn cargo(&self, args: &[&str], env: &[(&str, &str)]) -> Built {
        let mut command = Command::new(env!("CARGO"));
        command.args(args).args(["--offline", "--message-format=json"]).current_dir(&self.dir);
        for (name, _) in
            std::env::vars().filter(|(name, _)| name.starts_with("CARGO") && name != "CARGO_HOME")
        {
            command.env_remove(name);
        }
        for name in ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "LD_LIBRARY_PATH", "OUT_DIR"] {
            command.env_remove(name);
        }
        command
            .env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/user"))
            .envs(env.iter().copied());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let start = Instant::now();
        let output = command
            .spawn()
            .unwrap()
            .controlled_with_output()
            .time_limit(LIMIT)
            .terminate_for_timeout()
            .wait();
        let output = output.unwrap().unwrap_or_else(|| panic!("cargo {args:?} did not end within {LIMIT:?}"));
        let mut built = Built {
            success: output.status.success(),
            messages: Vec::new(),
            compiled: Vec::new(),
            out_dir: None,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            took: start.elapsed(),
        };
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
            let id = value["package_id"].as_str().unwrap_or_default();
            let own = id.starts_with("path+file") && !id.contains("/runtime#") && !id.contains("/build#");
            match value["reason"].as_str() {
                Some("compiler-message") if own => built.messages.push(value["message"].clone()),
                Some("build-script-executed") if own => {
                    built.out_dir = value["out_dir"].as_str().map(PathBuf::from);
                }
                Some("compiler-artifact") if value["fresh"] == false => built.compiled.push(id.to_owned()),
                _ => {}
            }
        }
        built
    }
}

impl Built {
    #[track_caller]
    pub fn expect_success(self) -> Self {
        assert!(self.success, "{}\n{:#?}", self.stderr, self.errors());
        self
    }

    /// Text, line and column of each error of the package.
    pub fn errors(&self) -> Vec<(String, u64, u64)> {
        self.errors_in("")
    }

    /// As `errors`, of the files whose path ends so.
    pub fn errors_in(&self, file: &str) -> Vec<(String, u64, u64)> {
        let errors = self.messages.iter().filter(|message| message["level"] == "error");
        let primary = |message: &Value| {
            let spans = message["spans"].as_array().cloned().unwrap_or_default();
            spans.into_iter().find(|span| span["is_primary"] == true).unwrap_or_default()
        };
        errors
            .filter(|message| !message["spans"].as_array().is_none_or(Vec::is_empty))
            .filter(|message| primary(message)["file_name"].as_str().unwrap_or_default().ends_with(file))
            .map(|message| {
                let mut span = primary(message);
                // What a `macro_rules!` macro makes stands at its call.
                while span["expansion"]["macro_decl_name"].as_str().is_some_and(|name| name.ends_with('!')) {
                    span = span["expansion"]["span"].take();
                }
                let place = |key: &str| span[key].as_u64().unwrap_or_default();
                (
                    message["message"].as_str().unwrap_or_default().to_owned(),
                    place("line_start"),
                    place("column_start"),
                )
            })
            .collect()
    }

    pub fn table(&self) -> String {
        let out_dir = self.out_dir.as_ref().expect("the build script did not run");
        std::fs::read_to_string(out_dir.join("warpweft/table.tsv")).unwrap()
    }

    /// The PTX of the target with this key.
    pub fn ptx(&self, key: &str) -> String {
        let table = self.table();
        let target = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let target = target.into_iter().find(|fields| fields[0] == "target" && fields[1] == key);
        let image = target.unwrap_or_else(|| panic!("no target {key} in\n{table}"))[5].to_owned();
        let out_dir = self.out_dir.as_ref().unwrap();
        std::fs::read_to_string(out_dir.join("warpweft").join(image)).unwrap()
    }

    /// The names of the entries of a target.
    pub fn entries(&self, key: &str) -> Vec<String> {
        let ptx = self.ptx(key);
        let names = ptx.lines().filter_map(|line| line.strip_prefix(".visible .entry "));
        names.map(|name| name.trim_end_matches(['(', ')']).to_owned()).collect()
    }
}

/// Says whether there is a device toolchain, and tells on stderr when a test is skipped for want of one.
pub fn has_toolchain(test: &str) -> bool {
    match warpweft_build::toolchain::find() {
        Ok(_) => true,
        Err(lacking) => {
            eprintln!("{test}: skipped, no device toolchain\n{lacking}");
            false
        }
    }
}
