//! `derive(KernelArg)` and `derive(Element)`: a check of the layout and of every field, and the marker impls.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, Token, Type, parse_quote};

use crate::report::Errors;

/// Which of the two derives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    KernelArg,
    /// Implements `KernelArg` as well.
    Element,
}

impl Marker {
    fn name(self) -> Ident {
        Ident::new(if self == Self::Element { "Element" } else { "KernelArg" }, Span::call_site())
    }
}

/// Expands the derive of `marker` on `item`.
pub fn expand(marker: Marker, item: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let refused = match check(marker, &input) {
        Ok(()) => return implement(marker, &input, true),
        Err(error) => error.to_compile_error(),
    };
    if pointers(&input).next().is_some() || input.generics.lifetimes().next().is_some() {
        // The traits ask for types without borrows and shared pointers: an impl would be refused once more.
        return refused;
    }
    // The impls stand all the same: whoever uses the type is not at fault.
    let implemented = implement(marker, &input, false);
    quote!(#implemented #refused)
}

fn check(marker: Marker, input: &DeriveInput) -> syn::Result<()> {
    let name = &input.ident;
    let trait_name = marker.name();
    let mut errors = Errors::default();
    match &input.data {
        Data::Struct(_) if !has_fixed_layout(input)? => errors.on(
            name,
            format!(
                "the fields of `{name}` may lie elsewhere on the GPU than here: add #[repr(C)] above the struct \
                 (or #[repr(transparent)] for a single field)"
            ),
        ),
        Data::Struct(_) => {}
        Data::Enum(data) => errors.on(
            data.enum_token,
            format!(
                "not every bit pattern is a value of an enum: #[derive({trait_name})] goes on a struct; pass the \
                 enum as a number and match on that"
            ),
        ),
        Data::Union(data) => errors.on(
            data.union_token,
            format!("#[derive({trait_name})] goes on a struct: hold the bits in an integer and use `from_bits`"),
        ),
    }
    for pointer in pointers(input) {
        errors.on(
            pointer,
            "what the host points to means nothing on the GPU: pass slices as parameters of the kernel, beside the \
             struct",
        );
    }
    errors.finish()
}

/// The fields that are pointers or references.
fn pointers(input: &DeriveInput) -> impl Iterator<Item = &Type> {
    let is_pointer = |ty: &&Type| matches!(ty, Type::Reference(_) | Type::Ptr(_) | Type::FnPtr(_));
    fields(&input.data).into_iter().filter(is_pointer)
}

/// Whether a `#[repr]` fixes the layout.
fn has_fixed_layout(input: &DeriveInput) -> syn::Result<bool> {
    let mut fixed = false;
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        attr.parse_nested_meta(|meta| {
            fixed |= meta.path.is_ident("C") || meta.path.is_ident("transparent");
            if meta.input.peek(syn::token::Paren) {
                let align;
                syn::parenthesized!(align in meta.input);
                align.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(fixed)
}

fn implement(marker: Marker, input: &DeriveInput, with_fields: bool) -> TokenStream {
    let all = [Marker::KernelArg, Marker::Element];
    let markers = if marker == Marker::Element { &all[..] } else { &all[..1] };
    let impls = markers
        .iter()
        .map(|marker| one(*marker, input, with_fields && *marker == markers[markers.len() - 1]));
    quote!(#(#impls)*)
}

fn one(marker: Marker, input: &DeriveInput, with_fields: bool) -> TokenStream {
    let (name, trait_name) = (&input.ident, marker.name());
    let mut generics = input.generics.clone();
    for param in generics.type_params_mut() {
        param.colon_token.get_or_insert_with(<Token![:]>::default);
        param.bounds.push(parse_quote!(::warpweft::#trait_name));
    }
    let (params, args, bounds) = generics.split_for_impl();
    let checks = fields(&input.data)
        .into_iter()
        .filter(|_| with_fields)
        .map(|ty| quote_spanned!(ty.span()=> __check::<#ty>();));
    let checks: Vec<_> = checks.collect();
    let checks = (!checks.is_empty()).then(|| {
        quote! {
            const _: () = {
                fn __check<T: ::warpweft::#trait_name>() {}
                #[allow(dead_code, clippy::extra_unused_type_parameters)]
                fn __fields #params () #bounds {
                    #(#checks)*
                }
            };
        }
    });
    quote! {
        #[automatically_derived]
        unsafe impl #params ::warpweft::#trait_name for #name #args #bounds {}
        #checks
    }
}

fn fields(data: &Data) -> Vec<&Type> {
    match data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => fields.named.iter().map(|field| &field.ty).collect(),
            Fields::Unnamed(fields) => fields.unnamed.iter().map(|field| &field.ty).collect(),
            Fields::Unit => Vec::new(),
        },
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    }
}
