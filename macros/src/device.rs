//! `#[device]`: leaves the item as it is, and reports the errors that the device build found in it.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Item, Signature, Type};

use crate::kernel::param::spelling;
use crate::lookup::{self, View};
use crate::report::{self, Errors};
use crate::unit::{Device, Unit};

/// Expands `#[device(args)] item`.
pub fn expand(args: TokenStream, item: TokenStream, unit: &Unit) -> TokenStream {
    let header = Header::read(&item);
    match check(&args, &item, header.as_ref()) {
        Ok(()) => {
            let reported = header.and_then(|header| reported(&header, &item, unit));
            quote!(#item #reported)
        }
        Err(error) => {
            let errors = error.to_compile_error();
            quote!(#item #errors)
        }
    }
}

/// The errors of the device build that belong to the item.
fn reported(header: &Header, item: &TokenStream, unit: &Unit) -> Option<TokenStream> {
    // A crate without device code is the business of its kernels.
    let Device::Table(table) = unit.device() else { return None };
    let name = header.name()?;
    let view = View::new(unit, &table);
    let cfgs = header.attrs().iter().filter(|attr| attr.path().is_ident("cfg"));
    Some(report::device_errors(&view, &lookup::Item::new(&name), name.span(), item, &quote!(#(#cfgs)*)))
}

fn check(args: &TokenStream, item: &TokenStream, header: Option<&Header>) -> syn::Result<()> {
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.on(args, "#[device] takes no arguments: write #[device] alone");
    }
    match header.map(|header| &header.item) {
        Some(Item::Fn(function)) => signature(&function.sig, &mut errors),
        Some(Item::ForeignMod(block)) => errors.on(
            &block.abi,
            "the GPU has no library to link this block to: write the functions in Rust under #[device]",
        ),
        Some(Item::Use(import)) => errors.on(
            import.use_token,
            "a `use` needs no #[device]: each name of it that exists on the GPU is kept there",
        ),
        Some(Item::ExternCrate(import)) => errors.on(
            import.extern_token,
            "list the crate in [package.metadata.warpweft.device] of Cargo.toml instead of #[device]",
        ),
        Some(Item::Macro(call)) if call.ident.is_none() => errors.on(
            &call.mac.path,
            "what a macro makes is not seen by the build helper: write the items out, each under #[device]",
        ),
        Some(_) => {}
        None => errors.on(
            item,
            "#[device] goes on a function, struct, enum, const, static, type, impl, trait or inline module",
        ),
    }
    errors.finish()
}

fn signature(sig: &Signature, errors: &mut Errors) {
    if let Some(token) = &sig.asyncness {
        errors
            .on(token, "a device function cannot be async, for nothing polls it on the GPU: remove `async`");
    }
    if let Some(abi) = &sig.abi {
        errors.on(abi, "device functions are called from Rust only: remove the `extern` ABI");
    }
    if let Some(variadic) = &sig.variadic {
        errors.on(
            variadic,
            "a device function takes a fixed list of parameters: pass a slice, `&[T]`, instead",
        );
    }
}

/// An annotated item, its body left out.
struct Header {
    item: Item,
}

impl Header {
    fn read(item: &TokenStream) -> Option<Self> {
        // Only names and signatures matter here, so that a large body need not be parsed.
        let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
        if let Some(TokenTree::Group(body)) = trees.last_mut()
            && body.delimiter() == Delimiter::Brace
        {
            *body = Group::new(Delimiter::Brace, TokenStream::new());
        }
        syn::parse2(trees.into_iter().collect()).ok().map(|item| Self { item })
    }

    /// The token that the build helper knows the item by: its name, or the name of an impl's type.
    fn name(&self) -> Option<Ident> {
        Some(match &self.item {
            Item::Const(item) => item.ident.clone(),
            Item::Enum(item) => item.ident.clone(),
            Item::Fn(item) => item.sig.ident.clone(),
            Item::Impl(item) => type_name(&item.self_ty)?,
            Item::Macro(item) => item.ident.clone()?,
            Item::Mod(item) => item.ident.clone(),
            Item::Static(item) => item.ident.clone(),
            Item::Struct(item) => item.ident.clone(),
            Item::Trait(item) => item.ident.clone(),
            Item::TraitAlias(item) => item.ident.clone(),
            Item::Type(item) => item.ident.clone(),
            Item::Union(item) => item.ident.clone(),
            Item::Verbatim(tokens) => name_after_keyword(tokens)?,
            _ => return None,
        })
    }

    fn attrs(&self) -> &[Attribute] {
        match &self.item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Union(item) => &item.attrs,
            _ => &[],
        }
    }
}

/// The name in a type that an impl is known by.
fn type_name(ty: &Type) -> Option<Ident> {
    match ty {
        Type::Reference(inner) => type_name(&inner.elem),
        Type::Slice(inner) => type_name(&inner.elem),
        Type::Array(inner) => type_name(&inner.elem),
        Type::Ptr(inner) => type_name(&inner.elem),
        other => spelling(other).map(|(name, _)| name.clone()),
    }
}

/// The name of a trait's item without a body, which has no form of its own in syn.
fn name_after_keyword(tokens: &TokenStream) -> Option<Ident> {
    let mut after = false;
    for tree in tokens.clone() {
        if let TokenTree::Ident(ident) = tree {
            let keyword = ["fn", "const", "type", "static"].iter().any(|keyword| ident == keyword);
            let qualifier = ["unsafe", "async", "extern", "mut"].iter().any(|keyword| ident == keyword);
            if after && !keyword && !qualifier {
                return Some(ident);
            }
            after |= keyword;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(item: TokenStream) -> String {
        expand(TokenStream::new(), item, &Unit::default()).to_string()
    }

    #[test]
    fn the_item_stays_as_it_is() {
        for item in [
            quote!(
                fn f<T: Copy>(x: T) -> T {
                    x
                }
            ),
            quote!(
                #[inline]
                pub(crate) const unsafe fn f(&self) {}
            ),
            quote!(
                fn required(&self) -> f32;
            ),
            quote!(
                const N: usize = 4;
            ),
            quote!(
                const N: usize;
            ),
            quote!(
                static TABLE: [f32; 4] = [0.0; 4];
            ),
            quote!(
                pub struct S {
                    x: f32,
                }
            ),
            quote!(
                struct S(f32);
            ),
            quote!(
                enum E {
                    A,
                    B,
                }
            ),
            quote!(
                impl<T> Trait for S<T>
                where
                    T: Copy,
                {
                    fn f() {}
                }
            ),
            quote!(
                trait Trait: Copy {
                    const N: usize;
                    fn f(&self) -> f32;
                }
            ),
            quote!(
                mod m {
                    pub fn f() {}
                }
            ),
            quote!(
                type F = f32;
            ),
            quote!(
                macro_rules! m {
                    () => {};
                }
            ),
        ] {
            assert_eq!(expanded(item.clone()), item.to_string());
        }
    }

    #[test]
    fn names_are_those_of_the_table() {
        let name = |item| Header::read(&item).and_then(|header| header.name()).map(|name| name.to_string());
        assert_eq!(
            name(quote!(
                impl<'a, T> core::ops::Add<T> for &'a crate::Pair<T> {}
            ))
            .as_deref(),
            Some("Pair")
        );
        assert_eq!(
            name(quote!(
                unsafe fn f(&self, x: f32);
            ))
            .as_deref(),
            Some("f")
        );
        assert_eq!(
            name(quote!(
                const unsafe fn f() {}
            ))
            .as_deref(),
            Some("f")
        );
        assert_eq!(
            name(quote!(
                type Output: Copy;
            ))
            .as_deref(),
            Some("Output")
        );
        assert_eq!(
            name(quote!(
                const LEN: usize;
            ))
            .as_deref(),
            Some("LEN")
        );
    }

    #[test]
    fn what_has_no_meaning_is_refused_and_kept() {
        for (item, fix) in [
            (
                quote!(
                    async fn f() {}
                ),
                "remove `async`",
            ),
            (
                quote!(
                    extern "C" fn f() {}
                ),
                "remove the `extern` ABI",
            ),
            (
                quote!(
                    unsafe extern "C" {
                        fn puts(s: *const u8);
                    }
                ),
                "write the functions in Rust",
            ),
            (
                quote!(
                    use std::ops::Add;
                ),
                "needs no #[device]",
            ),
            (quote!(thread_local! { static X: u32 = 1; }), "write the items out"),
        ] {
            let text = expanded(item.clone());
            assert!(text.starts_with(&item.to_string()), "{text}");
            assert!(text.contains(fix), "{text}");
        }
        let with_args = expand(
            quote!(fast),
            quote!(
                fn f() {}
            ),
            &Unit::default(),
        )
        .to_string();
        assert!(with_args.contains("takes no arguments"), "{with_args}");
    }
}
