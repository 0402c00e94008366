#[derive(KernelArg)]
struct Params {
    on: bool,
}
