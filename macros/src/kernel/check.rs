//! What a kernel cannot be: each fault on its own tokens, with the fix, all at once.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{FnArg, GenericParam, Lifetime, Meta, ReturnType, Token, Type, TypeReference};

use super::param::{Param, bare, spelling};
use super::parse::KernelFn;
use crate::report::Errors;

/// The longest tuple of parameters that the runtime can launch.
const MAX_PARAMS: usize = 20;

/// Checks the attribute's arguments and the function's header.
pub fn check(args: &TokenStream, kernel: &KernelFn) -> syn::Result<()> {
    let mut errors = Errors::default();
    arguments(args, &mut errors);
    signature(kernel, &mut errors);
    generics(kernel, &mut errors);
    parameters(kernel, &mut errors);
    errors.finish()
}

fn arguments(args: &TokenStream, errors: &mut Errors) {
    match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(args.clone()) {
        Ok(metas) => {
            for meta in metas {
                let name = meta.path().to_token_stream();
                errors.on(&meta, format!("#[kernel] takes no argument `{name}`: write #[kernel] alone"));
            }
        }
        Err(error) => errors.add(error),
    }
}

fn signature(kernel: &KernelFn, errors: &mut Errors) {
    let sig = &kernel.sig;
    if let Some(token) = &sig.constness {
        errors.on(token, "a kernel runs at launch, never while compiling: remove `const`");
    }
    if let Some(token) = &sig.asyncness {
        errors.on(
            token,
            "a kernel cannot be async: remove `async`; its launch is asynchronous on the stream anyway",
        );
    }
    if let Some(abi) = &sig.abi {
        errors.on(abi, "a kernel has the Rust ABI, and the build helper writes the GPU entry: remove this");
    }
    if let Some(variadic) = &sig.variadic {
        errors.on(variadic, "a kernel takes a fixed list of parameters: pass a slice, `&[T]`, instead");
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        errors.on(
            receiver,
            "a kernel is a free function: move it out of the impl and take `self` as an ordinary parameter \
             (a #[repr(C)] struct with #[derive(Clone, Copy, KernelArg)])",
        );
    }
    if let ReturnType::Type(arrow, ty) = &sig.output {
        errors.on(
            quote!(#arrow #ty),
            "a kernel returns nothing: remove this, and write results into a `DisjointSlice<T>` parameter",
        );
    }
}

fn generics(kernel: &KernelFn, errors: &mut Errors) {
    for param in &kernel.sig.generics.params {
        let (fault, token) = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(ty) => ("generic over types", &ty.ident),
            GenericParam::Const(constant) => ("generic over constants", &constant.ident),
        };
        errors.on(
            token,
            format!(
                "a kernel cannot be {fault}: write a generic #[device] function, and one #[kernel] for each \
                 instance that calls it"
            ),
        );
    }
    let mut statics = Statics { errors };
    statics.visit_generics(&kernel.sig.generics);
    for param in &kernel.params {
        statics.visit_type(&param.ty);
    }
}

/// Finds `'static`: a kernel that could keep a view beyond its launch would break what the launcher promises.
struct Statics<'a> {
    errors: &'a mut Errors,
}

impl Visit<'_> for Statics<'_> {
    fn visit_lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident == "static" {
            self.errors.on(lifetime, "what a kernel is given lives for the launch only: remove `'static`");
        }
    }
}

fn parameters(kernel: &KernelFn, errors: &mut Errors) {
    for param in &kernel.params {
        if let Some(cfg) = &param.cfg {
            errors.on(
                cfg,
                "a kernel has one list of parameters: put the #[cfg] on two kernels, one for each case",
            );
        }
        if let Err(error) = parameter(param, kernel.is_unsafe()) {
            errors.add(error);
        }
    }
    for second in kernel.params.iter().filter(|param| param.shared.is_some()).skip(1) {
        errors.on(
            &second.ty,
            "a kernel has one `Shared` parameter: put the arrays into one layout, `Shared<(A, B)>`",
        );
    }
    if let Some(first) = kernel.params.get(MAX_PARAMS) {
        errors.on(
            &first.ty,
            format!(
                "a kernel takes at most {MAX_PARAMS} parameters: gather the numbers in a #[repr(C)] struct with \
                 #[derive(Clone, Copy, KernelArg)]"
            ),
        );
    }
}

const BY_VALUE: &str =
    "pass numbers and #[derive(Clone, Copy, KernelArg)] structs by value, and arrays as `&[T]`";

fn parameter(param: &Param, is_unsafe: bool) -> syn::Result<()> {
    let ty = bare(&param.ty);
    let fail = |message: String| Err(syn::Error::new_spanned(&param.ty, message));
    match ty {
        Type::Reference(reference) => reference_parameter(reference),
        Type::Ptr(_) if !is_unsafe => fail(
            "nothing checks what a raw pointer points to: make the kernel an `unsafe fn` with a # Safety section, \
             or take `&[T]` or `DisjointSlice<T>`"
                .to_owned(),
        ),
        Type::FnPtr(_) => fail(
            "an address of a host function means nothing on the GPU: call the function by name in the kernel, and \
             choose between several by a number"
                .to_owned(),
        ),
        Type::TraitObject(_) => fail(format!("a kernel cannot take a trait object: {BY_VALUE}")),
        Type::ImplTrait(_) => fail(
            "a kernel takes concrete types: write the type, and one #[kernel] for each type that it is needed for"
                .to_owned(),
        ),
        Type::Slice(slice) => {
            let elem = slice.elem.to_token_stream();
            fail(format!("a slice has no size of its own: write `&[{elem}]` to read it or `DisjointSlice<{elem}>` to write it"))
        }
        Type::Path(_) => owned_parameter(&param.ty),
        _ => Ok(()),
    }
}

fn reference_parameter(reference: &TypeReference) -> syn::Result<()> {
    let fail = |message: String| Err(syn::Error::new_spanned(reference, message));
    let mutable = reference.mutability.is_some();
    match bare(&reference.elem) {
        Type::Slice(slice) if mutable => {
            let elem = slice.elem.to_token_stream();
            fail(format!(
                "every thread of the launch would hold this `&mut`: use `DisjointSlice<{elem}>`, in which each \
                 thread writes its own elements"
            ))
        }
        _ if mutable => fail(
            "every thread of the launch would hold this `&mut`: use `DisjointSlice<T>` (length 1 for a single \
             result), in which each thread writes its own elements"
                .to_owned(),
        ),
        Type::Slice(_) => Ok(()),
        Type::Path(path) if path.path.is_ident("str") => {
            fail("text cannot be passed to a kernel: pass its bytes, `&[u8]`".to_owned())
        }
        Type::TraitObject(_) => fail(format!("a kernel cannot take a trait object: {BY_VALUE}")),
        Type::Array(array) => {
            let elem = array.elem.to_token_stream();
            fail(format!("only slices are passed by reference: use `&[{elem}]`, or pass a small array by value"))
        }
        // A name may stand for a slice; if it does not, the type check of the launcher says so.
        Type::Path(path) if !is_number(&path.path) => owned_parameter(&reference.elem),
        elem => {
            let elem = elem.to_token_stream();
            fail(format!("only slices are passed by reference: pass `{elem}` by value, or `&[{elem}]`"))
        }
    }
}

fn is_number(path: &syn::Path) -> bool {
    const NUMBERS: [&str; 15] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
        "bool",
    ];
    path.get_ident().is_some_and(|name| NUMBERS.iter().any(|number| name == number))
}

/// Refuses what owns host memory, and `char`.
fn owned_parameter(ty: &Type) -> syn::Result<()> {
    let Some((name, args)) = spelling(ty) else { return Ok(()) };
    let elem = args.first().map(|elem| elem.to_token_stream());
    let message = match (name.to_string().as_str(), elem) {
        ("Vec", Some(elem)) => format!(
            "a `Vec` lies in host memory: upload it with `stream.upload`, and take `&[{elem}]` to read the buffer or \
             `DisjointSlice<{elem}>` to write it"
        ),
        ("Box" | "Rc" | "Arc", Some(elem)) => {
            format!("a `{name}` lies in host memory: pass `{elem}` by value, or a buffer as `&[T]`")
        }
        ("String", None) => "text cannot be passed to a kernel: pass its bytes, `&[u8]`".to_owned(),
        ("char", None) => "not every bit pattern is a `char`: pass a `u32`".to_owned(),
        _ => return Ok(()),
    };
    Err(syn::Error::new_spanned(ty, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages, each with the text of the token that it stands on.
    fn faults(args: TokenStream, item: &str) -> Vec<String> {
        let kernel = KernelFn::parse(item.parse().unwrap()).unwrap();
        let Err(errors) = check(&args, &kernel) else { return Vec::new() };
        errors
            .into_iter()
            .map(|error| {
                let (start, end) = (error.span().start(), error.span().end());
                assert_eq!((start.line, end.line), (1, 1));
                let token: String = item.chars().skip(start.column).take(end.column - start.column).collect();
                format!("{token}: {error}")
            })
            .collect()
    }

    /// The header has one fault, on `token`, whose text holds `fix`.
    fn one(item: &str, token: &str, fix: &str) {
        let faults = faults(TokenStream::new(), item);
        assert_eq!(faults.len(), 1, "{item}: {faults:?}");
        assert!(
            faults[0].starts_with(&format!("{token}: ")) && faults[0].contains(fix),
            "{item}: {faults:?}"
        );
    }

    #[test]
    fn good_headers_pass() {
        for item in [
            "fn k() {}",
            "pub(crate) fn k(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {}",
            "fn k<'a>(x: &'a [f32], y: DisjointSlice<'a, [f32; 4]>) where 'a: 'a {}",
            "unsafe fn k(x: *const f32, y: *mut [u8; 4]) {}",
            "fn k(tile: Shared<[[f32; 33]; 32]>, a: Atomics<u32>, p: (Params)) {}",
            "fn k(row: &Row, b: Box, v: Vec, s: geometry::Box) {}",
        ] {
            assert_eq!(faults(TokenStream::new(), item), Vec::<String>::new(), "{item}");
        }
    }

    #[test]
    fn qualifiers_and_returns_are_refused() {
        one("async fn k() {}", "async", "remove `async`");
        one("const fn k() {}", "const", "remove `const`");
        one("extern \"C\" fn k() {}", "extern \"C\"", "remove this");
        one("fn k() -> f32 { 0.0 }", "-> f32", "`DisjointSlice<T>` parameter");
        one("fn k(&self) {}", "&self", "free function");
        one("unsafe fn k(x: u32, ...) {}", "...", "pass a slice");
    }

    #[test]
    fn generics_and_statics_are_refused() {
        one("fn k<T: Element>(x: &[T]) {}", "T", "one #[kernel] for each");
        one("fn k<const N: usize>(x: [f32; N]) {}", "N", "one #[kernel] for each");
        one("fn k(x: &'static [f32]) {}", "'static", "remove `'static`");
        one("fn k<'a: 'static>(x: &'a [f32]) {}", "'static", "remove `'static`");
        one("fn k(x: impl Fn()) {}", "impl Fn()", "concrete types");
    }

    #[test]
    fn parameters_that_cannot_cross_are_refused() {
        one("fn k(x: &mut [f32]) {}", "&mut [f32]", "use `DisjointSlice<f32>`");
        one("fn k(x: &mut f32) {}", "&mut f32", "`DisjointSlice<T>`");
        one("fn k(x: &f32) {}", "&f32", "pass `f32` by value");
        one("fn k(x: &[f32; 4]) {}", "&[f32; 4]", "use `&[f32]`");
        one("fn k(x: [f32]) {}", "[f32]", "write `&[f32]`");
        one("fn k(x: &str) {}", "&str", "`&[u8]`");
        one("fn k(x: String) {}", "String", "`&[u8]`");
        one("fn k(x: &std::string::String) {}", "std::string::String", "`&[u8]`");
        one("fn k(x: Vec<f32>) {}", "Vec<f32>", "take `&[f32]`");
        one("fn k(x: &Vec<f32>) {}", "Vec<f32>", "take `&[f32]`");
        one("fn k(x: Box<[f32]>) {}", "Box<[f32]>", "as `&[T]`");
        one("fn k(#[cfg(test)] x: u32) {}", "#[cfg(test)]", "on two kernels");
        one("fn k(x: char) {}", "char", "pass a `u32`");
        one("fn k(x: *const f32) {}", "*const f32", "make the kernel an `unsafe fn`");
        one("fn k(f: fn(f32) -> f32) {}", "fn(f32) -> f32", "call the function by name");
        one("fn k(f: &dyn Fn()) {}", "&dyn Fn()", "trait object");
        one("fn k(a: Shared<[f32; 4]>, b: Shared<[u32]>) {}", "Shared<[u32]>", "`Shared<(A, B)>`");
        let many: Vec<String> =
            (0..21).map(|at| format!("p{at}: u{}", if at == 20 { 64 } else { 32 })).collect();
        one(&format!("fn k({}) {{}}", many.join(", ")), "u64", "at most 20");
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let faults = faults(TokenStream::new(), "async fn k(x: char, y: &mut [f32]) -> u32 {}");
        assert_eq!(faults.len(), 4, "{faults:?}");
    }

    #[test]
    fn unknown_arguments_are_named() {
        let kernel = KernelFn::parse(quote!(
            fn k() {}
        ))
        .unwrap();
        let errors = check(&quote!(block = 4, cluster(2)), &kernel).unwrap_err();
        let errors: Vec<_> = errors.into_iter().map(|error| error.to_string()).collect();
        assert_eq!(errors.len(), 2);
        assert!(errors[0].contains("`block`") && errors[1].contains("`cluster`"), "{errors:?}");
    }
}
