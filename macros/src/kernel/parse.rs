//! Reads the header of a kernel. The body stays unread: whatever Rust accepts there is fine.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, FnArg, Signature, Token, Visibility};

use super::param::Param;

/// The header of a function under `#[kernel]`.
pub struct KernelFn {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub sig: Signature,
    /// The parameters but for `self`.
    pub params: Vec<Param>,
}

impl KernelFn {
    /// # Errors
    /// When the item is not a function with a body.
    pub fn parse(item: TokenStream) -> syn::Result<Self> {
        Self::header.parse2(item)
    }

    fn header(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if !is_fn(input) {
            return Err(input.error(
                "#[kernel] goes on a function; mark a struct, impl, const or module that kernels use with #[device]",
            ));
        }
        let sig = Signature::parse(input)?;
        if input.peek(Token![;]) {
            return Err(input.error("a kernel needs a body"));
        }
        input.parse::<TokenStream>()?;
        let name = &sig.ident;
        let typed = sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(param) => Some(param),
            FnArg::Receiver(_) => None,
        });
        let params = typed.enumerate().map(|(at, param)| Param::new(at, param, name)).collect();
        Ok(Self { attrs, vis, sig, params })
    }

    /// Whether the kernel is an `unsafe fn`.
    pub fn is_unsafe(&self) -> bool {
        matches!(self.sig.safety, syn::Safety::Unsafe(_))
    }

    /// The attributes of this name.
    pub fn attrs_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Attribute> {
        self.attrs.iter().filter(move |attr| attr.path().is_ident(name))
    }
}

fn is_fn(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while !ahead.is_empty() && !ahead.peek(syn::token::Brace) && !ahead.peek(Token![;]) {
        if ahead.peek(Token![fn]) {
            return true;
        }
        let qualifier = ahead.peek(Token![const])
            || ahead.peek(Token![async])
            || ahead.peek(Token![unsafe])
            || ahead.peek(Token![extern])
            || ahead.peek(syn::LitStr);
        if !qualifier || ahead.parse::<proc_macro2::TokenTree>().is_err() {
            return false;
        }
    }
    false
}
