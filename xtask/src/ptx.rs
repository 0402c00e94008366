//! Checks of the PTX that the build made: by its text, and by ptxas.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::capture;

/// The only functions that a driver supplies when it loads an image.
const SUPPLIED: [&str; 5] = ["vprintf", "malloc", "free", "__assertfail", "__assert_fail"];

/// The PTX of one cargo target.
pub struct Image {
    /// Crate, kind of target, and whether it is the test build, for messages.
    pub label: String,
    /// Name of the target's crate.
    pub krate: String,
    /// The PTX itself.
    pub text: String,
    /// Symbols of the kernels that the table says are in it.
    pub symbols: Vec<String>,
    path: PathBuf,
}

/// Reads the table of one build script's output directory, if it has one.
///
/// # Errors
/// When the table names an image that is not there, or tells of a target whose device build failed.
pub fn images_of(out_dir: &Path) -> Result<Vec<Image>> {
    let dir = out_dir.join("warpweft");
    let Ok(table) = std::fs::read_to_string(dir.join("table.tsv")) else { return Ok(Vec::new()) };
    let records: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    let mut images = Vec::new();
    for record in &records {
        let ["target", key, kind, krate, test, file, _, status, ..] = record[..] else { continue };
        let test = if test == "1" { ", test" } else { "" };
        let label = format!("{krate} ({kind}{test})");
        match status {
            "ok" => {}
            "empty" => continue,
            other => bail!(
                "{label}: the device build ended with `{other}`; see {}",
                dir.join("table.tsv").display()
            ),
        }
        let path = dir.join(file);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let symbols = records.iter().filter_map(|record| match record[..] {
            ["kernel", owner, _, _, _, _, symbol, ..] if owner == key => Some(symbol.to_owned()),
            _ => None,
        });
        images.push(Image { label, krate: krate.to_owned(), text, symbols: symbols.collect(), path });
    }
    Ok(images)
}

/// Checks that every registered entry is present and that nothing is left unresolved; counts the kernels.
///
/// # Errors
/// Names the entry that is missing or the function that no driver supplies.
pub fn check_text(image: &Image) -> Result<usize> {
    ensure!(!image.symbols.is_empty(), "an image without a kernel");
    for symbol in &image.symbols {
        ensure!(entry(&image.text, symbol).is_some(), "there is no entry `{symbol}`");
    }
    for declaration in image.text.split(".extern .func").skip(1) {
        let head = declaration.split(';').next().unwrap_or_default();
        let name = head.split(['(', ')']).map(str::trim).find(|part| is_name(part)).unwrap_or(head);
        ensure!(SUPPLIED.contains(&name), "`{name}` is not defined: the driver will refuse the image");
    }
    Ok(image.symbols.len())
}

/// Tells whether a piece of a declaration is a function's name.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
}

/// Cuts one entry, signature and body, out of a PTX text.
fn entry<'a>(text: &'a str, symbol: &str) -> Option<&'a str> {
    let start = text.match_indices(symbol).map(|(at, _)| at).find(|at| {
        text[..*at].trim_end().ends_with(".entry") && text[at + symbol.len()..].trim_start().starts_with('(')
    })?;
    let rest = &text[start..];
    Some(rest.find("\n}").map_or(rest, |end| &rest[..end]))
}

/// Checks that the blur of the example `photo` reaches shared memory by shared loads and stores, never by generic ones.
///
/// # Errors
/// When a load or store is missing, or one of them is generic.
pub fn check_blur(images: &[Image]) -> Result<()> {
    let photo = images.iter().find(|image| image.krate == "photo").context("there is no image of `photo`")?;
    let symbol =
        photo.symbols.iter().find(|symbol| symbol.ends_with("__blur")).context("it has no kernel `blur`")?;
    let blur = entry(&photo.text, symbol).context("it has no entry for `blur`")?;
    for wanted in ["ld.shared", "st.shared"] {
        ensure!(blur.contains(wanted), "there is no `{wanted}`");
    }
    if let Some(generic) = blur.lines().map(str::trim).find(|line| is_generic(line)) {
        bail!("a generic access: `{generic}`");
    }
    Ok(())
}

/// Tells whether an instruction is a load or store without a state space, such as `ld.b32` or `st.v2.f32`.
fn is_generic(line: &str) -> bool {
    let instruction = match line.split_once(' ') {
        Some((predicate, rest)) if predicate.starts_with('@') => rest.trim_start(),
        _ => line,
    };
    let mnemonic = instruction.split_whitespace().next().unwrap_or_default();
    let mut parts = mnemonic.split('.');
    matches!(parts.next(), Some("ld" | "st"))
        && !parts.any(|part| {
            ["shared", "global", "param", "const", "local"].iter().any(|space| part.starts_with(space))
        })
}

/// Assembles an image with ptxas for the architecture that it names.
///
/// # Errors
/// What ptxas says.
pub fn assemble(ptxas: &Path, image: &Image) -> Result<()> {
    let target =
        image.text.lines().find_map(|line| line.strip_prefix(".target ")).context("there is no `.target`")?;
    let target = target.split(',').next().unwrap_or(target).trim();
    let out = tempfile::tempdir()?;
    // The copy has the extension that ptxas knows.
    let copy = out.path().join("image.ptx");
    std::fs::copy(&image.path, &copy).with_context(|| format!("cannot copy {}", image.path.display()))?;
    let mut command = Command::new(ptxas);
    command.arg(format!("-arch={target}")).arg(copy).arg("-o").arg(out.path().join("image.cubin"));
    capture(&mut command).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> Image {
        let symbols = vec!["photo__blur".to_owned()];
        Image {
            label: String::new(),
            krate: "photo".to_owned(),
            text: text.to_owned(),
            symbols,
            path: PathBuf::new(),
        }
    }

    #[test]
    fn an_absent_entry_is_found() {
        assert!(check_text(&image(".visible .entry photo__blur2(\n)\n{\n}\n")).is_err());
        assert_eq!(check_text(&image(".visible .entry photo__blur(\n)\n{\n}\n")).ok(), Some(1));
    }

    #[test]
    fn an_unresolved_function_is_found() {
        let entry = ".visible .entry photo__blur(\n)\n{\n}\n";
        let with = |declaration: &str| check_text(&image(&format!("{declaration}\n{entry}")));
        assert!(with(".extern .func  (.param .b32 func_retval0) vprintf\n(\n.param .b64 a\n)\n;").is_ok());
        let error =
            with(".extern .func  (.param .b32 func_retval0) memcmp\n(\n.param .b64 a\n)\n;").unwrap_err();
        assert!(error.to_string().contains("`memcmp`"), "{error}");
    }

    #[test]
    fn a_generic_access_in_the_blur_is_found() {
        let with = |line: &str| {
            let body = format!("ld.shared.b32 %r1, [a];\n\tst.shared.b32 [a], %r1;\n\t{line}");
            check_blur(&[image(&format!(".visible .entry photo__blur(\n)\n{{\n\t{body}\n}}\n"))])
        };
        assert!(with("ld.global.nc.b32 %r2, [b];").is_ok());
        assert!(with("@%p1 ld.v2.f32 {%f1, %f2}, [b];").is_err());
        assert!(with("st.b32 [b], %r1;").is_err());
        assert!(check_blur(&[image(".visible .entry photo__blur(\n)\n{\n}\n")]).is_err());
    }

    #[test]
    fn the_table_is_read() {
        let out = tempfile::tempdir().expect("a directory");
        let dir = out.path().join("warpweft");
        std::fs::create_dir(&dir).expect("a directory");
        let ptx = ".target sm_75\n.visible .entry photo__blur(\n)\n{\n}\n";
        std::fs::write(dir.join("photo.ptx"), ptx).expect("written");
        let table = "warpweft-table\t1\nmode\tptx\n\
            target\tbin:photo\tbin\tphoto\t0\tphoto.ptx\t0123456789abcdef\tok\n\
            target\tlib\tlib\texamples\t0\t\t\tempty\n\
            kernel\tbin:photo\tblur\tsrc/bin/photo.rs\t10\t4\tphoto__blur\n";
        std::fs::write(dir.join("table.tsv"), table).expect("written");
        let images = images_of(out.path()).expect("a good table");
        assert_eq!(images.len(), 1);
        assert_eq!((images[0].krate.as_str(), images[0].symbols.len()), ("photo", 1));
        std::fs::write(dir.join("table.tsv"), table.replace("\tok\n", "\tfailed\n")).expect("written");
        assert!(images_of(out.path()).is_err());
    }
}
