fn main() {
    warpweft_build::compile()
}
