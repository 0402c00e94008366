//! Each file of `compile_fail` has one fault, and beside it what the compiler says. Those of `compile_fail_device`
//! are compiled without `--cfg sim`, and see that there is no build script.
//! `TRYBUILD=overwrite cargo test -p warpweft-tests --test compile_fail` writes the texts anew.

fn main() {
    compiler_flags("--cfg\x1fsim\x1f--diagnostic-width=140\x1f-Aunused\x1f-Adead_code");
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
    if cfg!(not(sim)) {
        compiler_flags("--diagnostic-width=140");
        trybuild::TestCases::new().compile_fail("tests/compile_fail_device/*.rs");
    }
}

/// Sets the flags of the pages' compiler, which trybuild does not take from the test's own.
fn compiler_flags(flags: &str) {
    // SAFETY: the program has one thread here, since it has no test harness and trybuild has joined its own.
    unsafe { std::env::set_var("CARGO_ENCODED_RUSTFLAGS", flags) };
    // SAFETY: as above. (Cargo gives a test the OUT_DIR of its package, which is not that of the pages.)
    unsafe { std::env::remove_var("OUT_DIR") };
}
