//! The table that the macros read: `OUT_DIR/warpweft/table.tsv`.
//!
//! ARCHITECTURE.md defines its records. Fields are separated by tabs; `\\`, `\t` and `\n` are escaped in them.

use std::fmt::Write as _;
use std::path::Path;

use crate::error::{Result, io};
use crate::view::{Diagnostic, TableError};

/// What a package is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// GPU code.
    Ptx,
    /// `--cfg sim`: only the simulator.
    Sim,
    /// docs.rs: only the simulator, and nothing runs.
    Docs,
    /// No device toolchain does: a compile error at each kernel.
    None,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Ptx => "ptx",
            Mode::Sim => "sim",
            Mode::Docs => "docs",
            Mode::None => "none",
        }
    }
}

/// What became of one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is an image.
    Ok,
    /// There are errors.
    Failed,
    /// There is no kernel.
    Empty,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Empty => "empty",
        }
    }
}

/// One `target` record with what belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub key: String,
    pub kind: &'static str,
    pub crate_name: String,
    pub test: bool,
    /// File name in `OUT_DIR/warpweft/`, and 16 hexadecimal digits; both empty without an image.
    pub image: String,
    pub image_id: String,
    pub status: Status,
    pub kernels: Vec<Kernel>,
    pub errors: Vec<TableError>,
    /// Files whose kernels, if they have any, were not seen.
    pub unparsed: Vec<Diagnostic>,
}

/// One `kernel` record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub owner: crate::view::Owner,
    pub symbol: String,
}

/// The whole table.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub mode: Mode,
    /// The text of the compile error, with [`Mode::None`].
    pub remedy: Option<String>,
    pub targets: Vec<Target>,
}

impl Table {
    /// A table without targets.
    pub fn empty(mode: Mode) -> Self {
        Table { mode, remedy: None, targets: Vec::new() }
    }

    /// A table that makes each kernel a compile error with this text.
    pub fn unusable(remedy: String) -> Self {
        Table { mode: Mode::None, remedy: Some(remedy), targets: Vec::new() }
    }

    /// Writes the table, whole or not at all.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join("table.tsv");
        let temporary = dir.join(".table.tsv");
        std::fs::write(&temporary, self.render()).map_err(io("write", &temporary))?;
        std::fs::rename(&temporary, &path).map_err(io("move into place", path))
    }

    pub fn render(&self) -> String {
        let mut out = String::new();
        record(&mut out, &["warpweft-table", "1"]);
        record(&mut out, &["mode", self.mode.name()]);
        if let Some(remedy) = &self.remedy {
            record(&mut out, &["remedy", remedy]);
        }
        for target in &self.targets {
            let test = if target.test { "1" } else { "0" };
            let Target { key, kind, crate_name, image, image_id, status, .. } = target;
            record(&mut out, &["target", key, kind, crate_name, test, image, image_id, status.name()]);
            for Kernel { owner, symbol } in &target.kernels {
                let file = owner.file.to_string_lossy();
                let (line, column) = (owner.line.to_string(), owner.column.to_string());
                record(&mut out, &["kernel", key, &owner.name, &file, &line, &column, symbol]);
            }
            for Diagnostic { file, line, column, message } in &target.unparsed {
                let (line, column) = (line.to_string(), column.to_string());
                record(&mut out, &["unparsed", key, &file.to_string_lossy(), &line, &column, message]);
            }
            for error in &target.errors {
                let (owner, file) = (&error.owner, error.file.to_string_lossy());
                let owner_file = owner.file.to_string_lossy();
                let numbers = [owner.line, owner.column, error.line, error.column].map(|n| n.to_string());
                let [owner_line, owner_column, line, column] = &numbers;
                let mut fields = vec!["error", key, &owner.name, &owner_file, owner_line, owner_column];
                fields.extend([&file, line.as_str(), column, &error.message]);
                fields.extend(error.shared.then_some("shared"));
                record(&mut out, &fields);
            }
        }
        out
    }
}

fn record(out: &mut String, fields: &[&str]) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push('\t');
        }
        for c in field.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                '\r' => {}
                other => {
                    let _ = write!(out, "{other}");
                }
            }
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Owner;

    #[test]
    fn a_table_has_one_record_a_line() {
        let owner = Owner { name: "k".into(), file: "/a b/main.rs".into(), line: 3, column: 4 };
        let error = TableError {
            owner: owner.clone(),
            file: "/a b/other.rs".into(),
            line: 7,
            column: 8,
            message: "one\ntwo\tC:\\x".into(),
            shared: false,
        };
        let shared = TableError { message: "three".into(), shared: true, ..error.clone() };
        let target = Target {
            key: "bin-app".into(),
            kind: "bin",
            crate_name: "app".into(),
            test: false,
            image: "bin-app.ptx".into(),
            image_id: "0123456789abcdef".into(),
            status: Status::Ok,
            kernels: vec![Kernel { owner, symbol: "app__k".into() }],
            errors: vec![error, shared],
            unparsed: vec![Diagnostic {
                file: "/a b/bad.rs".into(),
                line: 5,
                column: 6,
                message: "expected an expression".into(),
            }],
        };
        let table = Table { targets: vec![target], ..Table::empty(Mode::Ptx) };
        assert_eq!(
            table.render(),
            "warpweft-table\t1\nmode\tptx\n\
             target\tbin-app\tbin\tapp\t0\tbin-app.ptx\t0123456789abcdef\tok\n\
             kernel\tbin-app\tk\t/a b/main.rs\t3\t4\tapp__k\n\
             unparsed\tbin-app\t/a b/bad.rs\t5\t6\texpected an expression\n\
             error\tbin-app\tk\t/a b/main.rs\t3\t4\t/a b/other.rs\t7\t8\tone\\ntwo\\tC:\\\\x\n\
             error\tbin-app\tk\t/a b/main.rs\t3\t4\t/a b/other.rs\t7\t8\tthree\tshared\n"
        );
        let table = Table::unusable("mend\nit".into());
        assert_eq!(table.render(), "warpweft-table\t1\nmode\tnone\nremedy\tmend\\nit\n");
    }
}
