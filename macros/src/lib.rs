//! The attributes and derives of [Warpweft](https://docs.rs/warpweft); use them through the crate `warpweft`.
//!
//! Each entry parses, checks and expands in a file of its own, on `proc_macro2` types, so that its logic is
//! tested like any other. `table`, `unit` and `lookup` read what the build helper left in `OUT_DIR`.

#[cfg(test)]
mod blessed;
mod device;
mod element;
mod kernel;
mod lookup;
mod report;
mod table;
mod testing;
mod unit;

use proc_macro::TokenStream;

use unit::Unit;

/// Makes a function a GPU kernel, with a typed launcher.
///
/// The function itself stays as it is: it is the kernel, on the GPU and on the simulator. Beside it stands an
/// empty enum of the same name with the launcher,
/// `NAME::launch(stream, grid, arguments..) -> warpweft::Result<()>`, which is an `unsafe fn` if the kernel is one.
///
/// ```ignore
/// use warpweft::prelude::*;
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index();
///     if let Some(y) = y.get_mut(&i) {
///         *y = a * x[&i] + *y;
///     }
/// }
///
/// saxpy::launch(&stream, Grid::cover(y.len()), 2.0, &x, &mut y)?;
/// ```
///
/// # Parameters
/// | in the kernel | in the launcher |
/// | --- | --- |
/// | a number, `bool`, a struct with `#[derive(KernelArg)]` | the same |
/// | `&[T]` | `&Buffer<T>`, `&DeviceSlice<T>` |
/// | `DisjointSlice<T>`, `DisjointChunks<T, N>`, `Atomics<T>`, `RawSlice<T>` | `&mut Buffer<T>`, `&mut DeviceSlice<T>` |
/// | `DisjointGrid<T>` | `buffer.grid_mut(rows, columns)?` |
/// | `Shared<T>` | nothing |
/// | `Shared<[T]>` | the length |
/// | `*const T`, `*mut T`, in an `unsafe fn` | a `DevicePtr<T>` |
///
/// # Errors
/// A function that cannot be a kernel is a compile error on the token that is in the way, with the fix in its
/// text. So is what the device compiler says of the kernel, and a kernel that the build helper did not see.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(args.into(), item.into(), &Unit::from_env()).into()
}

/// Makes an item part of device code, so that kernels can use it.
///
/// Goes on functions, methods, structs, enums, consts, statics, type aliases, impls, traits and inline modules
/// (for everything in them). The item stays as it is, and host code can use it as well.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    device::expand(args.into(), item.into(), &Unit::from_env()).into()
}

/// Makes a test that runs on every device there is.
///
/// The function takes `device: &Device` and returns what a test may return. `fn name` becomes the tests
/// `name::simulator` and `name::cuda`; where there is no GPU the latter says on stderr that it was skipped, and
/// why. `#[ignore]` and `#[should_panic]` apply to both.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    testing::expand(args.into(), item.into()).into()
}

/// Implements `KernelArg`: kernels can take the struct by value.
///
/// Needs `#[repr(C)]` or `#[repr(transparent)]`, `Copy`, and fields that are `KernelArg` themselves.
#[proc_macro_derive(KernelArg)]
pub fn derive_kernel_arg(item: TokenStream) -> TokenStream {
    element::expand(element::Marker::KernelArg, item.into()).into()
}

/// Implements `Element` and `KernelArg`: buffers can hold the struct, and kernels can take it by value.
///
/// Needs `#[repr(C)]` or `#[repr(transparent)]`, `Copy`, and fields that are `Element` themselves, for which every
/// bit pattern is a value (so no `bool`).
#[proc_macro_derive(Element)]
pub fn derive_element(item: TokenStream) -> TokenStream {
    element::expand(element::Marker::Element, item.into()).into()
}
