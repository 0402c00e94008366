#[automatically_derived]
unsafe impl ::warpweft::KernelArg for Params {}
::core::compile_error! {
    "the fields of `Params` may lie elsewhere on the GPU than here: add #[repr(C)] above the struct (or #[repr(transparent)] for a single field)"
}
