//! Asks the device compiler which imports exist on the device.

use std::path::Path;

use crate::error::{Result, io};
use crate::rustc;
use crate::target::{Context, Library};
use crate::view::Probe;

/// Resolution stops before stability and privacy are checked, so a second round may find more.
const ROUNDS: usize = 4;

/// Tries imports in a crate of their own, with what the target can import.
pub(crate) struct Prober<'a> {
    /// The tools, or `None` when there are none: then nobody compiles the view either.
    pub context: &'a dyn Fn() -> Option<Context<'a>>,
    pub edition: &'a str,
    pub library: Option<&'a Library>,
}

impl Probe for Prober<'_> {
    fn resolves(&self, leaves: &[String]) -> Vec<bool> {
        let everything = vec![true; leaves.len()];
        let Some(context) = (self.context)() else { return everything };
        // An import that the probe cannot judge stays: the compilation of the view has the last word.
        self.ask(&context, leaves).unwrap_or(everything)
    }
}

impl Prober<'_> {
    fn ask(&self, context: &Context<'_>, leaves: &[String]) -> Result<Vec<bool>> {
        if leaves.is_empty() {
            return Ok(Vec::new());
        }
        let library =
            self.library.filter(|library| leaves.iter().any(|leaf| leaf.contains(&library.crate_name)));
        let library = library.and_then(|library| library.rlib(context).ok().map(|rlib| (library, rlib)));

        let mut key = context.compiler.key();
        key.add(&context.layer.key).add(self.edition);
        key.add(library.map(|(_, rlib)| rlib.key.as_str()).unwrap_or_default());
        for leaf in leaves {
            key.add(leaf);
        }
        let dir = context.dir.join("probe");
        std::fs::create_dir_all(&dir).map_err(io("create", &dir))?;
        let known = dir.join(key.finish_short());
        if let Some(answers) = read_answers(&known, leaves.len()) {
            return Ok(answers);
        }

        let mut found = vec![true; leaves.len()];
        let source = known.with_extension("rs");
        for _ in 0..ROUNDS {
            std::fs::write(&source, render(leaves, &found)).map_err(io("write", &source))?;
            let mut command = context.compiler.command("probe", self.edition);
            rustc::no_std(&mut command);
            context.layer.add_to(&mut command);
            if let Some((library, rlib)) = library {
                command.arg("--extern").arg(rustc::assign(&library.crate_name, &rlib.path));
            }
            command.arg("--crate-type=rlib");
            command.arg("--emit").arg(rustc::assign("metadata", &known.with_extension("rmeta")));
            let compiled = rustc::compile(command.arg(&source))?;
            if compiled.success {
                break;
            }
            let before = found.clone();
            for span in compiled.errors().flat_map(|error| &error.spans).filter(|span| span.is_primary) {
                // Line 1 is the head, and each leaf has one line.
                if let Some(found) = span.line.checked_sub(2).and_then(|index| found.get_mut(index)) {
                    *found = false;
                }
            }
            if found == before {
                break;
            }
        }
        for extension in ["rs", "rmeta"] {
            // Left behind, it would only take room.
            let _ = std::fs::remove_file(known.with_extension(extension));
        }
        write_answers(&known, &found)?;
        Ok(found)
    }
}

/// The probe crate: one line for each leaf that is still in question.
fn render(leaves: &[String], wanted: &[bool]) -> String {
    let mut text = "extern crate core as std;\n".to_owned();
    for (index, (leaf, wanted)) in leaves.iter().zip(wanted).enumerate() {
        if *wanted {
            let leaf = leaf.replace(['\n', '\r'], " ");
            text.push_str(&format!("mod l{index} {{ #[allow(unused_imports)] use {leaf}; }}"));
        }
        text.push('\n');
    }
    text
}

fn read_answers(path: &Path, count: usize) -> Option<Vec<bool>> {
    let text = std::fs::read_to_string(path).ok()?;
    let answers: Vec<bool> = text.bytes().map(|byte| byte == b'1').collect();
    (answers.len() == count).then_some(answers)
}

fn write_answers(path: &Path, answers: &[bool]) -> Result<()> {
    let text: String = answers.iter().map(|&answer| if answer { '1' } else { '0' }).collect();
    std::fs::write(path, text).map_err(io("write", path))
}
