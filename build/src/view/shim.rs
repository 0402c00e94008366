//! The text that the view adds: entry shims of kernels and the implementations that derives stand for.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{FnArg, GenericParam, Generics, ReturnType, Signature, Type};

use super::source::place;

const ALLOWED: &str = "improper_ctypes_definitions,non_snake_case,private_interfaces,unused_unsafe";

/// Added text, on one line, and which of its columns stand for which place in the user's file.
#[derive(Clone, Debug)]
pub(super) struct Shim {
    pub(super) text: String,
    /// The name of the item that the text belongs to.
    pub(super) place: (usize, usize),
    /// Columns in characters, from 1, of the text alone; the end is excluded.
    pub(super) columns: Vec<(std::ops::Range<usize>, (usize, usize))>,
}

/// Whether the macro accepts the signature of a kernel; for others it reports what is wrong.
pub(super) fn launchable(signature: &Signature) -> bool {
    let lifetimes = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    let unit = match &signature.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()),
    };
    unit && signature.constness.is_none()
        && signature.asyncness.is_none()
        && signature.abi.is_none()
        && signature.variadic.is_none()
        && signature.generics.params.iter().all(lifetimes)
        && signature.inputs.iter().all(|input| matches!(input, FnArg::Typed(input) if spelt_out(&input.ty)))
}

/// Whether a type is named in full: no `impl Trait`, no `_`.
fn spelt_out(ty: &Type) -> bool {
    struct Open(bool);
    impl<'ast> Visit<'ast> for Open {
        fn visit_type(&mut self, ty: &'ast Type) {
            self.0 |= matches!(ty, Type::ImplTrait(_) | Type::Infer(_));
            syn::visit::visit_type(self, ty);
        }
    }
    let mut open = Open(false);
    open.visit_type(ty);
    !open.0
}

fn guards(predicates: &[TokenStream]) -> String {
    predicates.iter().map(|predicate| format!("#[cfg({predicate})] ")).collect()
}

/// Writes the entry of a kernel. It is left out where the crate is compiled for other crates to import.
pub(super) fn entry(signature: &Signature, symbol: &str, predicates: &[TokenStream]) -> Shim {
    let name = &signature.ident;
    let (lifetimes, _, bounds) = signature.generics.split_for_impl();
    let mut text = guards(predicates);
    text += &format!(
        "#[unsafe(no_mangle)] #[cfg(not(warpweft_library))] #[allow({ALLOWED})] pub unsafe extern \"ptx-kernel\" fn {symbol}{}(",
        lifetimes.to_token_stream()
    );
    let mut columns = Vec::new();
    let mut places = Vec::new();
    for (at, input) in signature.inputs.iter().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        let ty = input.ty.to_token_stream();
        let start = text.chars().count() + 1;
        text += &format!(
            "p{at}: <{ty} as ::warpweft::__private::KernelParam>::Ptr, \
             m{at}: <{ty} as ::warpweft::__private::KernelParam>::Meta, "
        );
        let at = place(syn::spanned::Spanned::span(&input.ty));
        columns.push((start..text.chars().count() + 1, at));
        places.push(at);
    }
    text += &format!(") {} {{ unsafe {{ {name}(", bounds.to_token_stream());
    for (at, place) in places.into_iter().enumerate() {
        let start = text.chars().count() + 1;
        text += &format!("::warpweft::__private::KernelParam::from_abi(p{at}, m{at}), ");
        columns.push((start..text.chars().count() + 1, place));
    }
    text += ") } }";
    Shim { text, place: place(name.span()), columns }
}

/// Writes `unsafe impl ::warpweft::TRAIT for NAME`, every type parameter bounded by the trait.
pub(super) fn marker(
    name: &proc_macro2::Ident,
    generics: &Generics,
    marker: &str,
    predicates: &[TokenStream],
) -> Shim {
    let marker: TokenStream =
        proc_macro2::Ident::new(marker, proc_macro2::Span::call_site()).to_token_stream();
    let mut bounded = generics.clone();
    for param in bounded.type_params_mut() {
        param.bounds.push(syn::parse_quote!(::warpweft::#marker));
    }
    let (with_bounds, names, bounds) = bounded.split_for_impl();
    let implementation = quote!(unsafe impl #with_bounds ::warpweft::#marker for #name #names #bounds {});
    Shim {
        text: guards(predicates) + &implementation.to_string(),
        place: place(name.span()),
        columns: Vec::new(),
    }
}

/// The name of an entry: crate, modules and kernel joined by `__`, other characters than PTX allows spelt out.
pub(super) fn symbol(crate_name: &str, names: &[String]) -> String {
    let mut symbol = String::new();
    for (at, name) in std::iter::once(crate_name).chain(names.iter().map(String::as_str)).enumerate() {
        if at > 0 {
            symbol += "__";
        }
        for c in name.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || c == '_' => symbol.push(c),
                c => symbol += &format!("_u{:x}_", u32::from(c)),
            }
        }
    }
    symbol
}
