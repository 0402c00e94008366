#[derive(Clone, Copy, warpweft::KernelArg)] #[repr(C)] struct S { v: std::path::PathBuf2, a: Missing }
#[warpweft::kernel] fn k() {}
fn main() {}
//~ 1:75 `std::path` is host-only
//~ 1:94 in device code: cannot find type `Missing` in this scope
