//! The committed bitcode is what its text says.

use std::path::Path;
use std::process::Command;

/// The assembler that made the committed file: LLVM is not promised to write the same bytes in another version.
const ASSEMBLER: &str = "llvm-as-19";

#[test]
fn bitcode_is_assembled_from_its_text() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device/nvptx");
    let output = Command::new(ASSEMBLER).args(["bitcode.ll", "-o", "-"]).current_dir(&dir).output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: {ASSEMBLER} could not be run ({error})");
            return;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let committed = std::fs::read(dir.join("bitcode.bc")).expect("the committed bitcode");
    assert!(
        output.stdout == committed,
        "bitcode.bc is not bitcode.ll: run `{ASSEMBLER} bitcode.ll -o bitcode.bc` in {}",
        dir.display()
    );
}
