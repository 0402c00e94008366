//! The table that the build helper leaves in `OUT_DIR`: its format, and nothing else.
//!
//! One record per line, fields separated by tabs, `\\`, `\t` and `\n` escaped in fields. Lines and columns
//! count from 1, columns in characters. Records of a kind that this version does not know are skipped, so
//! that a newer helper may add some; fields after the known ones likewise.

/// The version in the first line that this reader understands.
const VERSION: &str = "1";

/// What the build helper did with the crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Device code was compiled.
    Ptx,
    /// `cfg(sim)` was set: nothing to compile.
    Sim,
    /// A documentation build: nothing was compiled, kernels run on the simulator only.
    Docs,
    /// No device toolchain was found.
    None,
}

/// One cargo target, once with and once without `cfg(test)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub key: String,
    pub kind: String,
    pub crate_name: String,
    pub test: bool,
    pub image_file: String,
    pub image_id: u64,
    /// False when the device build of the target failed; its `error` records tell why.
    pub built: bool,
}

/// The place of a token: a file as the helper spells it, a line and a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: usize,
    pub column: usize,
}

/// One kernel of one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelRow {
    pub key: String,
    pub name: String,
    pub place: Place,
    pub symbol: String,
}

/// One error of the device build, and the annotated item that reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRow {
    pub key: String,
    pub owner: String,
    pub owner_place: Place,
    pub place: Place,
    pub message: String,
    /// The host compiler finds the fault as well, if it is one there.
    pub shared: bool,
}

/// A source file of a target that the helper could not read or parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnparsedRow {
    pub key: String,
    pub place: Place,
    pub message: String,
}

/// The whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub mode: Mode,
    /// With [`Mode::None`]: the text of the compile error.
    pub remedy: String,
    pub targets: Vec<Target>,
    pub kernels: Vec<KernelRow>,
    pub errors: Vec<ErrorRow>,
    pub unparsed: Vec<UnparsedRow>,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// A sentence that names the line and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let first = lines.next().map_or("", |(_, line)| line);
        match first.split_once('\t') {
            Some(("warpweft-table", VERSION)) => {}
            Some(("warpweft-table", other)) => {
                return Err(format!("its format is version {other}, and version {VERSION} is needed"));
            }
            _ => return Err("it does not begin with `warpweft-table`".to_owned()),
        }
        let mut mode = None;
        let mut table = Self {
            mode: Mode::Ptx,
            remedy: String::new(),
            targets: Vec::new(),
            kernels: Vec::new(),
            errors: Vec::new(),
            unparsed: Vec::new(),
        };
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let mut fields = Fields::new(line, number)?;
            match fields.text("record kind")?.as_str() {
                "mode" => mode = Some(fields.mode()?),
                "remedy" => table.remedy = fields.text("remedy")?,
                "target" => table.targets.push(fields.target()?),
                "kernel" => table.kernels.push(fields.kernel()?),
                "unparsed" => table.unparsed.push(fields.unparsed()?),
                "error" => table.errors.push(fields.error()?),
                _ => {}
            }
        }
        table.mode = mode.ok_or("it has no `mode` record")?;
        Ok(table)
    }
}

/// The fields of one line, taken one after the other.
struct Fields {
    line: usize,
    fields: std::vec::IntoIter<String>,
}

impl Fields {
    fn new(line: &str, number: usize) -> Result<Self, String> {
        let fields: Option<Vec<String>> = line.split('\t').map(unescape).collect();
        let fields = fields.ok_or_else(|| format!("line {number} holds an unknown escape"))?;
        Ok(Self { line: number, fields: fields.into_iter() })
    }

    fn text(&mut self, what: &str) -> Result<String, String> {
        self.fields.next().ok_or_else(|| format!("line {} lacks the field `{what}`", self.line))
    }

    fn wrong(&self, what: &str, value: &str) -> String {
        format!("line {} has `{value}` as {what}", self.line)
    }

    fn number(&mut self, what: &str) -> Result<usize, String> {
        let value = self.text(what)?;
        value.parse().map_err(|_| self.wrong(what, &value))
    }

    fn mode(&mut self) -> Result<Mode, String> {
        match self.text("mode")?.as_str() {
            "ptx" => Ok(Mode::Ptx),
            "sim" => Ok(Mode::Sim),
            "docs" => Ok(Mode::Docs),
            "none" => Ok(Mode::None),
            other => Err(self.wrong("mode", other)),
        }
    }

    fn place(&mut self) -> Result<Place, String> {
        Ok(Place { file: self.text("file")?, line: self.number("line")?, column: self.number("column")? })
    }

    fn target(&mut self) -> Result<Target, String> {
        Ok(Target {
            key: self.text("key")?,
            kind: self.text("kind")?,
            crate_name: self.text("crate name")?,
            test: match self.text("test")?.as_str() {
                "0" => false,
                "1" => true,
                other => return Err(self.wrong("test", other)),
            },
            image_file: self.text("image file")?,
            image_id: {
                let digits = self.text("image id")?;
                let digits = if digits.is_empty() { "0" } else { &digits };
                u64::from_str_radix(digits, 16).map_err(|_| self.wrong("image id", digits))?
            },
            built: match self.text("status")?.as_str() {
                "ok" | "empty" => true,
                "failed" => false,
                other => return Err(self.wrong("status", other)),
            },
        })
    }

    fn kernel(&mut self) -> Result<KernelRow, String> {
        Ok(KernelRow {
            key: self.text("key")?,
            name: self.text("name")?,
            place: self.place()?,
            symbol: self.text("symbol")?,
        })
    }

    fn unparsed(&mut self) -> Result<UnparsedRow, String> {
        Ok(UnparsedRow { key: self.text("key")?, place: self.place()?, message: self.text("message")? })
    }

    fn error(&mut self) -> Result<ErrorRow, String> {
        Ok(ErrorRow {
            key: self.text("key")?,
            owner: self.text("owner")?,
            owner_place: self.place()?,
            place: self.place()?,
            message: self.text("message")?,
            shared: self.fields.next().is_some_and(|word| word == "shared"),
        })
    }
}

/// Undoes the escapes of one field; `None` when it holds one that is not in the format.
fn unescape(field: &str) -> Option<String> {
    let mut plain = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The writer's half, as the format describes it.
    fn escape(field: &str) -> String {
        field.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }

    fn line(fields: &[&str]) -> String {
        let fields: Vec<String> = fields.iter().map(|field| escape(field)).collect();
        fields.join("\t") + "\n"
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            remedy in "\\PC*|[\\\\\t\n\ra-z ]*",
            name in "[\\\\\t\n\ra-z]{1,8}",
            file in "\\PC{0,12}",
            (row, column) in (1_usize..10_000, 1_usize..200),
            (id, test, failed, shared) in any::<(u64, bool, bool, bool)>(),
        ) {
            let (row_text, column_text) = (row.to_string(), column.to_string());
            let text = [
                line(&["warpweft-table", "1"]),
                line(&["mode", "ptx"]),
                line(&["remedy", &remedy]),
                line(&["target", "k", "bin", &name, if test { "1" } else { "0" }, &file, &format!("{id:016x}"),
                    if failed { "failed" } else { "ok" }]),
                line(&["kernel", "k", &name, &file, &row_text, &column_text, "sym"]),
                line(&["error", "k", &name, &file, &row_text, &column_text, &file, "7", "8", &remedy,
                    if shared { "shared" } else { "" }]),
                line(&["of a later version", "x"]),
            ].concat();
            let table = Table::parse(&text).unwrap();
            let place = Place { file: file.clone(), line: row, column };
            prop_assert_eq!(table.mode, Mode::Ptx);
            prop_assert_eq!(&table.remedy, &remedy);
            prop_assert_eq!(table.targets, vec![Target {
                key: "k".into(), kind: "bin".into(), crate_name: name.clone(), test, image_file: file.clone(),
                image_id: id, built: !failed,
            }]);
            prop_assert_eq!(table.kernels, vec![KernelRow {
                key: "k".into(), name: name.clone(), place: place.clone(), symbol: "sym".into(),
            }]);
            prop_assert_eq!(table.errors, vec![ErrorRow {
                key: "k".into(), owner: name, owner_place: place, place: Place { file, line: 7, column: 8 },
                message: remedy, shared,
            }]);
        }

        #[test]
        fn no_text_makes_it_panic(text in "(warpweft-table\t1\n)?((mode|target|kernel|error|unparsed|remedy)?[\t\\\\a-z0-9\n]{0,12}){0,8}") {
            let _ = Table::parse(&text);
        }
    }

    #[test]
    fn faults_name_the_line() {
        let fault = |rest: &str| Table::parse(&format!("warpweft-table\t1\nmode\tptx\n{rest}")).unwrap_err();
        assert_eq!(Table::parse("").unwrap_err(), "it does not begin with `warpweft-table`");
        assert_eq!(
            Table::parse("warpweft-table\t2\nmode\tptx\n").unwrap_err(),
            "its format is version 2, and version 1 is needed"
        );
        assert_eq!(Table::parse("warpweft-table\t1\n").unwrap_err(), "it has no `mode` record");
        assert_eq!(fault("mode\tcubin\n"), "line 3 has `cubin` as mode");
        assert_eq!(fault("\nkernel\tk\tname\tf\tx\t1\ts\n"), "line 4 has `x` as line");
        assert_eq!(fault("kernel\tk\tname\n"), "line 3 lacks the field `file`");
        assert_eq!(fault("remedy\ta\\q\n"), "line 3 holds an unknown escape");
    }
}
