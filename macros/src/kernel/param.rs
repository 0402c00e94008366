//! One parameter of a kernel: what the launcher calls it, and whether the launcher takes it at all.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, GenericArgument, Ident, Pat, PatType, PathArguments, Type};

/// One parameter.
pub struct Param {
    /// The name of the launcher's argument.
    pub name: Ident,
    pub ty: Type,
    pub shared: Option<Shared>,
    /// A `#[cfg]` of its own, which no kernel can have.
    pub cfg: Option<Attribute>,
}

/// A parameter whose type is spelt `Shared<..>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shared {
    /// Its size is part of the type; the launcher takes nothing.
    Static,
    /// It ends in `[T]`; the launcher takes the length.
    Dynamic,
}

impl Param {
    /// The parameter at position `at` of the kernel `kernel`.
    pub fn new(at: usize, param: &PatType, kernel: &Ident) -> Self {
        let name = match &*param.pat {
            // An argument with the kernel's own name would hide the function that the launcher calls.
            Pat::Ident(pat) if pat.ident == *kernel => Ident::new(&pat.ident.to_string(), Span::mixed_site()),
            Pat::Ident(pat) => pat.ident.clone(),
            _ => format_ident!("arg{at}", span = Span::mixed_site()),
        };
        let cfg =
            param.attrs.iter().find(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr"));
        Self { name, ty: (*param.ty).clone(), shared: shared(&param.ty), cfg: cfg.cloned() }
    }

    /// The launcher's argument, if it takes one.
    pub fn argument(&self) -> Option<TokenStream> {
        let (name, ty) = (&self.name, &self.ty);
        // The whole path stands at the place of the type, where errors about the type then appear.
        let mut tokens = ty.to_token_stream().into_iter();
        let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
        let last = tokens.last().map_or(first, |token| token.span());
        let open = quote_spanned!(first=> <);
        let close = quote_spanned!(last=> as ::warpweft::__private::HostParam>::Host<'_>);
        (self.shared != Some(Shared::Static)).then(|| quote!(#name: #open #ty #close))
    }

    /// What the launcher passes on.
    pub fn value(&self) -> TokenStream {
        let name = &self.name;
        match self.shared {
            Some(Shared::Static) => quote!(()),
            _ => quote!(#name),
        }
    }
}

/// The type without the parentheses and invisible groups around it.
pub fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        other => other,
    }
}

/// The last name of a path type and its type arguments.
pub fn spelling(ty: &Type) -> Option<(&Ident, Vec<&Type>)> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last()?;
    let args = match &last.arguments {
        PathArguments::AngleBracketed(args) => args
            .args
            .iter()
            .filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((&last.ident, args))
}

fn shared(ty: &Type) -> Option<Shared> {
    match spelling(ty)? {
        (name, args) if name == "Shared" => {
            let layout = *args.first()?;
            Some(if ends_in_slice(layout) { Shared::Dynamic } else { Shared::Static })
        }
        _ => None,
    }
}

fn ends_in_slice(ty: &Type) -> bool {
    match bare(ty) {
        Type::Slice(_) => true,
        Type::Tuple(tuple) => tuple.elems.last().is_some_and(ends_in_slice),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn shared_of(ty: Type) -> Option<Shared> {
        shared(&ty)
    }

    #[test]
    fn shared_memory_is_recognised_by_its_spelling() {
        assert_eq!(shared_of(parse_quote!(Shared<[f32; 256]>)), Some(Shared::Static));
        assert_eq!(
            shared_of(parse_quote!(warpweft::device::Shared<'_, [[f32; 33]; 32]>)),
            Some(Shared::Static)
        );
        assert_eq!(shared_of(parse_quote!(Shared<[f32]>)), Some(Shared::Dynamic));
        assert_eq!(shared_of(parse_quote!((Shared<([u32; 4], [f32])>))), Some(Shared::Dynamic));
        assert_eq!(shared_of(parse_quote!(&[f32])), None);
        assert_eq!(shared_of(parse_quote!(SharedView<f32>)), None);
    }

    #[test]
    fn patterns_get_names() {
        let name = |param: PatType| Param::new(3, &param, &parse_quote!(k)).name.to_string();
        assert_eq!(name(parse_quote!(x: f32)), "x");
        assert_eq!(name(parse_quote!(mut y: DisjointSlice<f32>)), "y");
        assert_eq!(name(parse_quote!((a, b): Pair)), "arg3");
        assert_eq!(name(parse_quote!(_: f32)), "arg3");
        assert_eq!(name(parse_quote!(whole @ Pair { .. }: Pair)), "whole");
    }
}
