//! Puts LLVM bitcode where rustc's link-time optimisation takes it in.
//!
//! Fat LTO links every member of a static library whose name ends in `.rcgu.o` and whose bytes start with the
//! bitcode magic. Functions that Rust cannot spell (real address spaces, convergent operations, libdevice)
//! so come in as bitcode and are inlined like Rust code.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, io};

/// `BC 0xC0DE`, and the wrapper that some producers put around it.
const MAGICS: [[u8; 4]; 2] = [*b"BC\xC0\xDE", [0xDE, 0xC0, 0x17, 0x0B]];

/// Writes `lib<name>.a` with one bitcode file into `dir`, for `#[link(name = "<name>", kind = "static")]`.
pub(crate) fn write(dir: &Path, name: &str, bitcode: &Path) -> Result<PathBuf> {
    let bytes = std::fs::read(bitcode).map_err(io("read", bitcode))?;
    if !MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
        return Err(Error::Tool {
            what: format!("reading {}", bitcode.display()),
            message: "it is no LLVM bitcode".to_owned(),
        });
    }
    let member = format!("{name}.rcgu.o").into_bytes();
    let path = dir.join(format!("lib{name}.a"));
    let file = File::create(&path).map_err(io("create", &path))?;
    let mut builder = ar::GnuBuilder::new(file, vec![member.clone()]);
    let mut header = ar::Header::new(member, bytes.len() as u64);
    header.set_mode(0o644);
    builder.append(&header, bytes.as_slice()).map_err(io("write", &path))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_member_has_the_name_that_lto_looks_for() {
        let dir = tempfile::tempdir().unwrap();
        let bitcode = dir.path().join("x.bc");
        std::fs::write(&bitcode, b"BC\xC0\xDErest").unwrap();
        let path = write(dir.path(), "a_name_longer_than_sixteen_bytes", &bitcode).unwrap();
        let mut archive = ar::Archive::new(File::open(path).unwrap());
        let member = archive.next_entry().unwrap().unwrap();
        assert_eq!(member.header().identifier(), b"a_name_longer_than_sixteen_bytes.rcgu.o");
        assert_eq!(member.header().size(), 8);
    }

    #[test]
    fn other_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let text = dir.path().join("x.ll");
        std::fs::write(&text, "define void @f()").unwrap();
        assert!(write(dir.path(), "x", &text).unwrap_err().to_string().contains("no LLVM bitcode"));
    }
}
