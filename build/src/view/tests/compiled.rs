//! Views that a device compiler really compiles, each corner case a program of one package.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::support::Package;
use crate::compile;
use crate::inputs::Inputs;
use crate::table::{Mode, Status, Table, Target};
use crate::toolchain;

const MANIFEST: &str = "[package]\nname = \"demo\"\nversion = \"1.2.3\"\nedition = \"2024\"\n\
    [features]\non = []\noff = []\n[workspace]\n";

/// Builds the device code of a package; says why when there is no device toolchain.
fn build(package: &Package, test: &str) -> Option<Table> {
    if let Err(error) = toolchain::find() {
        println!("skipped: {test}: {error}");
        return None;
    }
    let bitcode = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/device/nvptx/bitcode.bc");
    if !bitcode.is_file() {
        println!("skipped: {test}: the crate warpweft does not lie beside this one");
        return None;
    }
    let standin = package.dir.join("standin/src/lib.rs");
    std::fs::create_dir_all(standin.parent()?).expect("a writable temporary directory");
    std::fs::write(&standin, include_str!("standin.rs")).expect("a writable temporary directory");
    let inputs = Inputs {
        out_dir: package.dir.join("target/out"),
        manifest_dir: package.dir.clone(),
        cargo: std::env::var_os("CARGO").map_or("cargo".into(), PathBuf::from),
        features: vec!["on".to_owned()],
        cfgs: Vec::new(),
        checks: false,
        sim: false,
        docs: false,
        arch: None,
        device_root: Some(standin),
        bitcode: Some(bitcode),
        jobs: 2,
        package_env: vec![
            ("CARGO_PKG_VERSION".to_owned(), "1.2.3".to_owned()),
            ("CARGO_MANIFEST_DIR".to_owned(), package.dir.display().to_string()),
        ],
    };
    let outcome = compile::run(&inputs).expect("the package is in order");
    assert_eq!(outcome.table.mode, Mode::Ptx, "{:?}", outcome.table.remedy);
    Some(outcome.table)
}

/// The files below a directory of `tests/`, by their paths in it.
fn files(dir: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut found = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(dir) = open.pop() {
        for entry in dir.read_dir().expect("a directory of this package").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(&root).expect("it lies below").display().to_string();
                found.insert(name, std::fs::read_to_string(&path).expect("a file of this package"));
            }
        }
    }
    found
}

/// The same text as other editors write it.
fn windows(text: &str) -> String {
    format!("\u{feff}{}", text.replace('\n', "\r\n"))
}

fn package(files: &BTreeMap<String, String>) -> Package {
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = files.chain([("Cargo.toml", MANIFEST)]).collect();
    Package::new(&files)
}

/// The records of the plain variants, by crate name.
fn plain(table: &Table) -> BTreeMap<&str, &Target> {
    table
        .targets
        .iter()
        .filter(|target| !target.test)
        .map(|target| (target.crate_name.as_str(), target))
        .collect()
}

fn assert_compiled(table: &Table, name: &str) {
    let targets = plain(table);
    let target = targets.get(name).unwrap_or_else(|| panic!("{name} is not in the table"));
    let said: Vec<String> = target
        .errors
        .iter()
        // Under a condition that is off: its macro does not run either.
        .filter(|error| error.owner.name != "gone")
        .map(|error| format!("{}:{}:{}: {}", error.file.display(), error.line, error.column, error.message))
        .collect();
    assert_eq!((target.status, said.as_slice()), (Status::Ok, &[][..]), "{name}");
    assert!(!target.kernels.is_empty(), "{name}");
}

#[test]
fn corner_cases_compile() {
    let mut files = files("sources");
    let program = files["src/bin/interpreter_line.rs"].clone();
    files.insert("src/bin/windows.rs".to_owned(), windows(&program));
    let package = package(&files);
    let Some(table) = build(&package, "corner_cases_compile") else { return };
    for program in files.keys().filter_map(|path| path.strip_prefix("src/bin/")?.strip_suffix(".rs")) {
        assert_compiled(&table, program);
    }
    assert_compiled(&table, "demo");
    let targets = plain(&table);
    assert_eq!(targets["other"].status, Status::Empty);
    let symbols = |target: &Target| -> Vec<String> {
        target.kernels.iter().map(|kernel| kernel.symbol.clone()).collect()
    };
    assert_eq!(symbols(targets["modules"]), ["modules__inner__deep__k", "modules__on__k"]);
    let tests: Vec<&Target> = table.targets.iter().filter(|target| target.test).collect();
    let of = |name: &str| tests.iter().find(|target| target.crate_name == name).expect("a test variant");
    let with_tests = vec!["demo__k".to_owned(), "demo__tests__t".to_owned()];
    assert_eq!((of("demo").status, symbols(of("demo"))), (Status::Ok, with_tests));
    assert_eq!((of("whole").status, symbols(of("whole"))), (Status::Ok, vec!["whole__k".to_owned()]));
    for target in table.targets.iter().filter(|target| target.status == Status::Ok) {
        let ptx = std::fs::read_to_string(package.dir.join("target/out/warpweft").join(&target.image));
        let ptx = ptx.expect("the image is where the table says");
        for kernel in target.kernels.iter().filter(|kernel| kernel.owner.name != "gone") {
            assert!(ptx.contains(&format!(".visible .entry {}(", kernel.symbol)), "{}", kernel.symbol);
        }
    }
}

/// What a program of `tests/faults` expects: lines `//~ LINE:COLUMN BEGINNING OF THE TEXT` at its end.
fn expected(text: &str) -> Vec<(usize, usize, &str)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//~ "));
    lines
        .map(|line| {
            let (at, text) = line.split_once(' ').expect("a place and a text");
            let (line, column) = at.split_once(':').expect("a line and a column");
            (line.parse().expect("a number"), column.parse().expect("a number"), text)
        })
        .collect()
}

#[test]
fn faults_are_explained_where_they_stand() {
    let faults = files("faults");
    let mut files: BTreeMap<String, String> =
        faults.iter().map(|(name, text)| (format!("src/bin/{name}"), text.clone())).collect();
    files.insert("src/bin/places_windows.rs".to_owned(), windows(&faults["places.rs"]));
    files.insert("src/bin/good.rs".to_owned(), "#[warpweft::kernel] fn k() {}\nfn main() {}\n".to_owned());
    files.extend(self::files("sources").remove("src/lib.rs").map(|text| ("src/lib.rs".to_owned(), text)));
    let package = package(&files);
    let Some(table) = build(&package, "faults_are_explained_where_they_stand") else { return };
    assert_compiled(&table, "good");
    let targets = plain(&table);
    let mut report = String::new();
    for (file, text) in &files {
        let Some(name) = file.strip_prefix("src/bin/").and_then(|file| file.strip_suffix(".rs")) else {
            continue;
        };
        let expected = expected(text);
        let target = targets[name];
        assert_eq!(target.status == Status::Failed, !expected.is_empty(), "{name}");
        let path = package.dir.join(file);
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        for error in &target.errors {
            assert_eq!((&error.file, &error.owner.file), (&path, &path), "{name}");
            found.push((error.line, error.column, &error.message));
        }
        found.sort_unstable();
        let same = |(found, expected): (&(usize, usize, &str), &(usize, usize, &str))| {
            (found.0, found.1) == (expected.0, expected.1) && found.2.starts_with(expected.2)
        };
        if found.len() != expected.len() || !found.iter().zip(&expected).all(same) {
            report += &format!("{name}: expected\n{expected:#?}\nfound\n{found:#?}\n");
        }
    }
    assert!(report.is_empty(), "{report}");
}
