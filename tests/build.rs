//! Compiles the kernels of this package.

fn main() {
    warpweft_build::compile()
}
