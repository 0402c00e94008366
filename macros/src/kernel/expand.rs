//! The enum beside the kernel, and its launcher.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::docs;
use super::image::{Images, cfgs};
use super::param::Param;
use super::parse::KernelFn;

/// The launcher of a sound kernel.
pub fn launcher(kernel: &KernelFn, images: &Images) -> TokenStream {
    let name = &kernel.sig.ident;
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let types: Vec<_> = kernel.params.iter().map(|param| &param.ty).collect();
    let values = kernel.params.iter().map(Param::value);
    let inner: Vec<Ident> =
        (0..types.len()).map(|at| format_ident!("p{at}", span = Span::mixed_site())).collect();
    // On the kernel's name, where the error then stands if the kernel would keep a parameter beyond its launch.
    let span = Span::mixed_site().located_at(name.span());
    let call = quote_spanned!(span=> #name(#(#inner),*));
    let call = if kernel.is_unsafe() { quote!(unsafe { #call }) } else { call };
    let arguments = kernel.params.iter().filter_map(Param::argument);
    // Argument names of the launcher itself must not meet those of the kernel.
    let stream = Ident::new("stream", Span::mixed_site());
    let grid = Ident::new("grid", Span::mixed_site());
    // Whoever asks for the definition of the launcher is led to the kernel.
    let launch = Ident::new("launch", Span::call_site().located_at(name.span()));
    let (vis, unsafety, cfgs) = (&kernel.vis, unsafety(kernel), cfgs(kernel));
    let (generics, _, bounds) = kernel.sig.generics.split_for_impl();
    let (enum_doc, constant_doc, launcher_doc) =
        (docs::of_enum(kernel), docs::of_constant(kernel), docs::of_launcher(kernel));
    let notes = notes(kernel);
    let (statements, errors) = (images.statements(), &images.errors);
    quote! {
        #cfgs
        #notes
        #enum_doc
        #[allow(non_camel_case_types, dead_code, clippy::empty_enums)]
        #vis enum #name {}

        #cfgs
        #[allow(dead_code, deprecated, non_snake_case, clippy::too_many_arguments)]
        impl #name {
            #constant_doc
            #vis const KERNEL: ::warpweft::__private::Kernel = {
                #statements
                ::warpweft::__private::Kernel::new(#text, ::core::module_path!(), symbol, image)
            };

            #launcher_doc
            #vis #unsafety fn #launch #generics (
                #stream: &::warpweft::Stream,
                #grid: impl ::core::convert::Into<::warpweft::Grid>,
                #(#arguments,)*
            ) -> ::warpweft::Result<()>
            #bounds
            {
                ::warpweft::__private::launch::<(#(#types,)*), _>(
                    #stream,
                    ::core::convert::Into::into(#grid),
                    &Self::KERNEL,
                    (#(#values,)*),
                    |(#(#inner,)*)| #call,
                )
            }
        }

        #errors
    }
}

/// What stands for the launcher of a refused kernel, so that its callers are not refused as well.
pub fn stand_in(kernel: &KernelFn) -> TokenStream {
    if kernel.sig.receiver().is_some() {
        // In an impl, where no enum can stand.
        return TokenStream::new();
    }
    let name = &kernel.sig.ident;
    let (vis, unsafety, cfgs) = (&kernel.vis, unsafety(kernel), cfgs(kernel));
    let arguments = kernel.params.iter().filter(|param| param.argument().is_some()).map(|param| &param.name);
    quote! {
        #cfgs
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #name {}

        #cfgs
        #[allow(dead_code, unused_variables, non_snake_case, clippy::too_many_arguments)]
        impl #name {
            #[doc(hidden)]
            #vis #unsafety fn launch(
                _: impl ::core::marker::Sized,
                _: impl ::core::marker::Sized,
                #(#arguments: impl ::core::marker::Sized,)*
            ) -> ::warpweft::Result<()> {
                ::core::unreachable!()
            }
        }
    }
}

fn unsafety(kernel: &KernelFn) -> TokenStream {
    if kernel.is_unsafe() { quote!(unsafe) } else { TokenStream::new() }
}

/// Attributes of the function that are as true of the launcher: `#[deprecated]`, `#[doc(hidden)]`.
fn notes(kernel: &KernelFn) -> TokenStream {
    let hidden = kernel
        .attrs_named("doc")
        .filter(|attr| matches!(&attr.meta, syn::Meta::List(list) if list.tokens.to_string() == "hidden"));
    let deprecated = kernel.attrs_named("deprecated");
    quote!(#(#hidden)* #(#deprecated)*)
}
