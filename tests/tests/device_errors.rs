//! What the device build finds wrong appears at the user's own tokens, in the target that holds the fault and in no
//! other: each file of `device_errors` is a program of one package, which is built as a user would build it.
//! `/*@*/` stands before the faulty token, and the first line has parts of what is said. Faults that the host
//! compiler finds too are left to it.
#![cfg(not(sim))]

use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, PartialEq)]
struct Said {
    line: usize,
    column: usize,
    message: String,
}

#[test]
fn faults_are_told_at_their_tokens() {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device errors");
    let programs = write_package(&package);
    assert!(programs.len() >= 8, "{programs:?}");
    let output = check(&package, &[]);
    let mut wrong = Vec::new();
    for program in programs {
        let source =
            std::fs::read_to_string(package.join("src/bin").join(&program).with_extension("rs")).unwrap();
        let parts = source.lines().next().unwrap().trim_start_matches("// says: ");
        let said = errors(&output, &program);
        let fits = match (&said[..], place(&source)) {
            ([], None) => true,
            ([one], Some(place)) => {
                (one.line, one.column) == place && parts.split(" | ").all(|part| one.message.contains(part))
            }
            _ => false,
        };
        if !fits {
            wrong.push(format!("{program}: {said:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_toolchain_is_told_once_per_target() {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no toolchain");
    write_package(&package);
    let two = "use warpweft::prelude::*;\n\n#[kernel]\nfn first() {}\n\n#[kernel]\nfn second() {}\n\nfn main() {}\n";
    std::fs::write(package.join("src/bin/sound.rs"), two).unwrap();
    let output = check(&package, &[("WARPWEFT_RUSTC", "/no/such/rustc")]);
    let said = errors(&output, "sound");
    let [one] = &said[..] else { panic!("{said:#?}") };
    assert_eq!((one.line, one.column), (4, 4));
    assert!(one.message.contains("WARPWEFT_RUSTC is `/no/such/rustc`"), "{}", one.message);
}

/// Line and column of the marked token, as cargo counts them.
fn place(source: &str) -> Option<(usize, usize)> {
    let at = source.find("/*@*/")? + "/*@*/".len();
    let before = &source[..at];
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    Some((before.matches('\n').count() + 1, column))
}

/// Writes the package and returns the names of its programs.
fn write_package(package: &Path) -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap();
    let bins = package.join("src/bin");
    std::fs::create_dir_all(&bins).unwrap();
    let manifest = format!(
        "[package]\nname = \"faults\"\nedition = \"2024\"\n\n[dependencies]\nwarpweft = {{ path = {:?} }}\n\n\
         [build-dependencies]\nwarpweft-build = {{ path = {:?} }}\n\n[workspace]\n",
        root.join("runtime"),
        root.join("build")
    );
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    std::fs::write(package.join("build.rs"), "fn main() {\n    warpweft_build::compile()\n}\n").unwrap();
    let files = std::fs::read_dir(here.join("tests/device_errors")).unwrap();
    files
        .map(|file| {
            let file = file.unwrap().path();
            std::fs::copy(&file, bins.join(file.file_name().unwrap())).unwrap();
            file.file_stem().unwrap().to_str().unwrap().to_owned()
        })
        .collect()
}

/// Checks the package and returns cargo's messages.
fn check(package: &Path, variables: &[(&str, &str)]) -> String {
    let target: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["check", "--keep-going", "--offline", "--message-format=json", "--bins"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTFLAGS")
        .envs(variables.iter().copied());
    let output = cargo.output().unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    assert!(
        messages.contains("\"build-finished\""),
        "cargo did not come to its end:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    messages
}

/// The errors of one program, but for rustc's own last words.
fn errors(messages: &str, program: &str) -> Vec<Said> {
    let mut all = Vec::new();
    for line in messages.lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        let of_program = message["target"]["name"] == program && message["reason"] == "compiler-message";
        let message = &message["message"];
        if !of_program || message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty)
        {
            continue;
        }
        let spans = message["spans"].as_array().unwrap();
        let span = spans.iter().find(|span| span["is_primary"] == true).unwrap();
        let number = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
        all.push(Said {
            line: number("line_start"),
            column: number("column_start"),
            message: message["rendered"].as_str().unwrap().to_owned(),
        });
    }
    all
}
