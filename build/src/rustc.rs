//! Calls the device compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::arch::Arch;
use crate::cache::{Cache, Key};
use crate::error::{Error, Result};
use crate::process::{self, Finished};
use crate::sysroot;
use crate::toolchain::{TARGET, Toolchain};
use crate::view::{RustcMessage, RustcSpan};

/// The longest that one crate may take to compile.
const COMPILE_LIMIT: Duration = Duration::from_secs(600);

/// Flags of everything that ends up in an image.
/// - `-JumpThreading`: that pass duplicates barriers (rust-lang/rust#137086), which changes what they mean.
/// - `cap-lints`: the host compiler reports the lints of the same source.
const COMMON: &[&str] = &[
    "-Cpanic=abort",
    "-Copt-level=3",
    "-Zmir-enable-passes=-JumpThreading",
    "--cap-lints=allow",
    "--error-format=json",
];

/// Features that device code, and the entry shims in it, may use.
pub(crate) const FEATURES: &str =
    "abi_ptx,stdarch_nvptx,link_llvm_intrinsics,asm_experimental_arch,abi_unadjusted";

/// Flags that turn a crate into one PTX file. A static library goes through fat LTO like a program does, and
/// needs no linker. LLVM contracts `a * b + c` to one instruction as nvcc does.
const IMAGE: &[&str] =
    &["--crate-type=staticlib", "-Clto=fat", "-Ccodegen-units=1", "-Cllvm-args=-nvptx-fma-level=2"];

/// The device compiler with everything that is the same for all crates of one build.
#[derive(Debug, Clone)]
pub(crate) struct Compiler {
    pub toolchain: Toolchain,
    /// A sysroot other than the compiler's own.
    pub sysroot: Option<PathBuf>,
    pub arch: Arch,
    /// Debug assertions and overflow checks, as the outer profile has them.
    pub checks: bool,
}

impl Compiler {
    /// Prepares a compiler; builds its core when the cache lacks it.
    pub fn new(toolchain: Toolchain, arch: Arch, checks: bool, cache: &Cache) -> Result<Self> {
        let sysroot = sysroot::prepare(&toolchain, cache)?;
        let compiler = Compiler { toolchain, sysroot, arch, checks };
        compiler.check_arch()?;
        Ok(compiler)
    }

    /// A hash of the compiler and of all flags.
    pub fn key(&self) -> Key {
        let mut key = sysroot::compiler_key(&self.toolchain);
        key.add(self.arch.name()).add([u8::from(self.checks)]).add(FEATURES);
        for flag in COMMON.iter().chain(IMAGE) {
            key.add(flag);
        }
        if let Some(sysroot) = &self.sysroot {
            key.add(sysroot.as_os_str().as_encoded_bytes());
        }
        key
    }

    /// LLVM only warns about a processor that it does not know, and then makes code for its oldest one.
    fn check_arch(&self) -> Result<()> {
        if self.arch.always_known() {
            return Ok(());
        }
        let mut command = bootstrap(&self.toolchain);
        command.args(["--target", TARGET, "--print", "target-cpus"]);
        let known = process::run(&mut command, COMPILE_LIMIT)?.stdout;
        let known: Vec<&str> = known.lines().filter_map(|line| line.split_whitespace().next()).collect();
        if known.contains(&self.arch.name()) {
            return Ok(());
        }
        Err(Error::Setting {
            setting: "the GPU generation".to_owned(),
            value: self.arch.to_string(),
            reason: format!(
                "rustc {} does not know it; the newest it knows are {}",
                self.toolchain.release,
                {
                    let mut names: Vec<&str> =
                        known.into_iter().filter(|name| name.starts_with("sm_")).collect();
                    names.sort_by_key(|name| (name.len(), *name));
                    names.split_off(names.len().saturating_sub(4)).join(", ")
                }
            ),
        })
    }

    /// A call with the flags of every device crate.
    pub fn command(&self, crate_name: &str, edition: &str) -> Command {
        let mut command = bootstrap(&self.toolchain);
        command.args(["--crate-name", crate_name, "--edition", edition, "--target", TARGET]).args(COMMON);
        command.arg(format!("-Ctarget-cpu={}", self.arch.name()));
        let checks = if self.checks { "yes" } else { "no" };
        command.arg(format!("-Cdebug-assertions={checks}")).arg(format!("-Coverflow-checks={checks}"));
        if let Some(sysroot) = &self.sysroot {
            command.arg("--sysroot").arg(sysroot);
        }
        command
    }

    /// A call that makes PTX of a crate that was not written as a device crate.
    pub fn image_command(&self, crate_name: &str, edition: &str, ptx: &Path, link: &Path) -> Command {
        let mut command = self.command(crate_name, edition);
        command.args(IMAGE);
        no_std(&mut command);
        command.arg("--emit").arg(assign("asm", ptx)).arg("--emit").arg(assign("link", link));
        command
    }
}

/// Adds the crate attributes that a user's crate lacks, without touching its text.
pub(crate) fn no_std(command: &mut Command) {
    command.arg("-Zcrate-attr=no_std").arg(format!("-Zcrate-attr=feature({FEATURES})"));
    command.arg("-Zcrate-attr=allow(internal_features)");
}

/// `KEY=PATH` without a detour through text.
pub(crate) fn assign(key: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(key);
    argument.push("=");
    argument.push(path);
    argument
}

/// A call of the device compiler in a clean environment. Stable compilers make device code only with
/// `RUSTC_BOOTSTRAP`, since the PTX calling convention is unstable.
pub(crate) fn bootstrap(toolchain: &Toolchain) -> Command {
    let mut command = process::clean(&toolchain.rustc);
    command.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// What became of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    pub success: bool,
    pub messages: Vec<RustcMessage>,
    /// What was said beside the messages: a crash of the compiler, for one.
    pub rest: String,
}

/// Runs a compilation and reads its messages.
pub(crate) fn compile(command: &mut Command) -> Result<Compiled> {
    let Finished { success, stderr, .. } = process::run(command, COMPILE_LIMIT)?;
    let mut compiled = Compiled { success, messages: Vec::new(), rest: String::new() };
    for line in stderr.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.get("$message_type").is_none_or(|kind| kind == "diagnostic") => {
                compiled.messages.push(message(&value));
            }
            Ok(_) => {}
            Err(_) => {
                compiled.rest.push_str(line);
                compiled.rest.push('\n');
            }
        }
    }
    Ok(compiled)
}

impl Compiled {
    /// Success, or an error with what the compiler said.
    pub fn expect(self, what: &str) -> Result<()> {
        if self.success {
            return Ok(());
        }
        let mut said: Vec<String> =
            self.errors().map(|error| format!("{}{}", error.message, place(error))).collect();
        said.truncate(5);
        if said.is_empty() {
            said.push(if self.rest.trim().is_empty() { "it said nothing".to_owned() } else { self.rest });
        }
        Err(Error::Tool { what: what.to_owned(), message: said.join("\n") })
    }

    pub fn errors(&self) -> impl Iterator<Item = &RustcMessage> {
        self.messages.iter().filter(|message| message.level.starts_with("error"))
    }
}

fn place(message: &RustcMessage) -> String {
    let primary = message.spans.iter().find(|span| span.is_primary);
    primary.map(|span| format!(" ({}:{}:{})", span.file, span.line, span.column)).unwrap_or_default()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, key: &str, read: fn(&Value) -> T) -> Vec<T> {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(|values| values.iter().map(read).collect())
        .unwrap_or_default()
}

fn message(value: &Value) -> RustcMessage {
    RustcMessage {
        level: text(value, "level"),
        message: text(value, "message"),
        code: value.get("code").and_then(|code| code.get("code")).and_then(Value::as_str).map(str::to_owned),
        spans: list(value, "spans", span),
        children: list(value, "children", message),
    }
}

fn span(value: &Value) -> RustcSpan {
    let number = |key| value.get(key).and_then(Value::as_u64).unwrap_or_default() as usize;
    let optional = |key| value.get(key).and_then(Value::as_str).map(str::to_owned);
    RustcSpan {
        file: text(value, "file_name"),
        line: number("line_start"),
        column: number("column_start"),
        line_end: number("line_end"),
        column_end: number("column_end"),
        is_primary: value.get("is_primary").and_then(Value::as_bool).unwrap_or_default(),
        label: optional("label"),
        suggestion: optional("suggested_replacement"),
        expansion: value
            .get("expansion")
            .and_then(|expansion| expansion.get("span"))
            .map(|inner| Box::new(span(inner))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_code_places_and_notes() {
        let value = serde_json::json!({
            "$message_type": "diagnostic", "level": "error", "message": "cannot find `x`", "code": {"code": "E0425"},
            "spans": [{"file_name": "a b.rs", "line_start": 3, "column_start": 5, "line_end": 3, "column_end": 6,
                       "is_primary": true, "label": "not found", "suggested_replacement": null, "expansion": null}],
            "children": [{"level": "help", "message": "try y", "code": null, "spans": [], "children": []}],
        });
        let message = message(&value);
        assert_eq!((message.level.as_str(), message.code.as_deref()), ("error", Some("E0425")));
        assert_eq!(place(&message), " (a b.rs:3:5)");
        assert_eq!(message.children[0].message, "try y");
    }
}
