//! Tells the build scripts of dependent crates where the device layer of this very version lies
//! (`DEP_WARPWEFT_DEVICE_ROOT`, `DEP_WARPWEFT_BITCODE`), and declares `cfg(sim)` to the compiler.

fn main() {
    let dir = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(sim)");
    println!("cargo::metadata=device_root={dir}/src/lib.rs");
    println!("cargo::metadata=bitcode={dir}/src/device/nvptx/bitcode.bc");
}
