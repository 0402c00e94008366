//! `#[kernel]`: parse → check → expand.
//!
//! The function stays token for token. Beside it stands an empty enum of its name, which carries the launcher.

mod check;
mod docs;
mod expand;
mod image;
pub mod param;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;

use crate::unit::Unit;
use image::Images;
use parse::KernelFn;

/// Expands `#[kernel(args)] item`.
pub fn expand(args: TokenStream, item: TokenStream, unit: &Unit) -> TokenStream {
    let kernel = match KernelFn::parse(item.clone()) {
        Ok(kernel) => kernel,
        Err(error) => return with_errors(item, &error),
    };
    let checked = check::check(&args, &kernel);
    if let Err(error) = checked {
        let stand_in = expand::stand_in(&kernel);
        return with_errors(quote!(#item #stand_in), &error);
    }
    let images = Images::find(&kernel, &item, unit);
    let launcher = expand::launcher(&kernel, &images);
    quote!(#item #launcher)
}

fn with_errors(kept: TokenStream, error: &syn::Error) -> TokenStream {
    let errors = error.to_compile_error();
    quote!(#kept #errors)
}
