//! `#[warpweft::test]`: one test body, one test for each device.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, ItemFn, Meta, MetaNameValue, ReturnType, Token};

use crate::report::Errors;

/// Expands `#[warpweft::test(args)] item`.
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let errors = error.to_compile_error();
            return quote!(#item #errors);
        }
    };
    match check(&args, &function) {
        Ok(()) => tests(&function),
        Err(error) => {
            let errors = error.to_compile_error();
            quote!(#[allow(dead_code)] #item #errors)
        }
    }
}

fn check(args: &TokenStream, function: &ItemFn) -> syn::Result<()> {
    let sig = &function.sig;
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.on(args, "#[warpweft::test] takes no arguments");
    }
    if let Some(token) = &sig.asyncness {
        errors.on(token, "a test waits with `stream.synchronize()`: remove `async`");
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        errors.on(token, "nobody vouches for the call of a test: use `unsafe` blocks inside instead");
    }
    if !sig.generics.params.is_empty() {
        errors
            .on(&sig.generics, "a test cannot be generic: write a generic function and a test that calls it");
    }
    match sig.inputs.len() {
        1 => {
            if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
                errors.on(receiver, "a test is a free function: write `device: &Device`");
            }
        }
        0 => errors
            .on(&sig.ident, "a test gets the device that it runs on: add the parameter `device: &Device`"),
        _ => errors.on(&sig.inputs, "a test has one parameter, `device: &Device`"),
    }
    errors.finish()
}

/// Whether the attribute is one of a test, as against one of any function.
fn is_for_tests(attr: &Attribute) -> bool {
    let named = |path: &syn::Path| path.is_ident("should_panic") || path.is_ident("ignore");
    match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|metas| metas.iter().skip(1).any(|meta| named(meta.path()))),
        meta => named(meta.path()),
    }
}

/// The text of `#[should_panic = ".."]` or `#[should_panic(expected = "..")]`.
fn expected(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        Meta::NameValue(pair) => pair.value.to_token_stream(),
        Meta::List(_) => attr
            .parse_args::<MetaNameValue>()
            .map_or_else(|_| quote!(""), |pair| pair.value.to_token_stream()),
        Meta::Path(_) => quote!(""),
    }
}

fn tests(function: &ItemFn) -> TokenStream {
    let (for_tests, for_body): (Vec<&Attribute>, Vec<&Attribute>) =
        function.attrs.iter().partition(|attr| is_for_tests(attr));
    let (vis, sig, block, name) = (&function.vis, &function.sig, &function.block, &function.sig.ident);
    let cfgs: Vec<_> = for_body.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
    // A skipped test has to panic where a panic is a success.
    let panic = for_tests.iter().find(|attr| attr.path().is_ident("should_panic")).map(|attr| {
        let expected = expected(attr);
        quote!(::core::panic!("{}", #expected))
    });
    // The type of the body's result is not spelt again, since its names need not mean the same in the module.
    let (result, call, skip) = match sig.output {
        ReturnType::Default => (
            quote!(),
            quote!({
                body(&device);
                ::warpweft::__private::testing::check(&device)
            }),
            quote!(),
        ),
        ReturnType::Type(..) => (
            quote!(-> ::std::process::ExitCode),
            quote!(::warpweft::__private::testing::check_result(
                &device,
                ::std::process::Termination::report(body(&device))
            )),
            quote!(::std::process::ExitCode::SUCCESS),
        ),
    };
    quote! {
        #[cfg(test)]
        #(#for_body)*
        #vis #sig #block

        #[cfg(test)]
        #(#cfgs)*
        mod #name {
            use super::#name as body;

            #[::core::prelude::v1::test]
            #(#for_tests)*
            fn simulator() #result {
                let device = ::warpweft::__private::testing::simulator();
                #call
            }

            ::warpweft::__device_build! {
                #[::core::prelude::v1::test]
                #(#for_tests)*
                fn cuda() #result {
                    match ::warpweft::__private::testing::cuda() {
                        ::core::result::Result::Ok(device) => #call,
                        ::core::result::Result::Err(reason) => {
                            ::warpweft::__private::testing::skip(::core::module_path!(), &reason);
                            #panic
                            #skip
                        }
                    }
                }
            }
        }
    }
}
