//! Errors on the user's own tokens, collected so that a phase reports all of them at once.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::lookup::{Item, View};

/// The errors of one phase.
#[derive(Default)]
pub struct Errors {
    all: Option<syn::Error>,
}

impl Errors {
    /// Adds an error that covers `tokens`.
    pub fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error.
    pub fn add(&mut self, error: syn::Error) {
        match &mut self.all {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Ends the phase: fails with everything that was added.
    pub fn finish(self) -> syn::Result<()> {
        self.all.map_or(Ok(()), Err)
    }
}

/// A `compile_error!` at `span` in builds that have device code, where `cfgs` hold.
pub fn device_error(span: Span, message: &str, cfgs: &TokenStream) -> TokenStream {
    let error = quote_spanned!(span=> ::core::compile_error! { #message });
    quote!(#cfgs ::warpweft::__device_build! { #error })
}

/// [`shared_error`] where lints are not capped, or else [`device_error`].
pub fn error_after_the_hosts(view: &View<'_>, span: Span, message: &str, cfgs: &TokenStream) -> TokenStream {
    if view.lints() { shared_error(span, message, cfgs) } else { device_error(span, message, cfgs) }
}

/// An error at `span` that rustc reports only if it has no error of its own: lints run last. The host compiler finds
/// most faults of the language itself, and says them better.
fn shared_error(span: Span, message: &str, cfgs: &TokenStream) -> TokenStream {
    let error = quote_spanned! {span=>
        #[deny(unused_must_use)]
        const _: () = {
            #[must_use = #message]
            const fn refused_by_the_device_compiler() -> bool {
                true
            }
            refused_by_the_device_compiler();
        };
    };
    quote!(#cfgs ::warpweft::__device_build! { #error })
}

/// The span of the token at a place (line and column from 1), if the stream holds one: the token that begins
/// there, or else the one that covers the place.
pub fn token_at(tokens: &TokenStream, line: usize, column: usize) -> Option<Span> {
    let mut cover = None;
    find(tokens.clone(), (line, column), &mut cover).or(cover)
}

fn find(tokens: TokenStream, place: (usize, usize), cover: &mut Option<Span>) -> Option<Span> {
    for tree in tokens {
        let spans = match &tree {
            TokenTree::Group(group) => [Some(group.span_open()), Some(group.span_close())],
            other => [Some(other.span()), None],
        };
        for span in spans.into_iter().flatten() {
            let (start, end) = (span.start(), span.end());
            if (start.line, start.column + 1) == place {
                return Some(span);
            }
            if (start.line, start.column + 1) < place && place < (end.line, end.column + 1) {
                *cover = Some(span);
            }
        }
        if let TokenTree::Group(group) = tree
            && let Some(found) = find(group.stream(), place, cover)
        {
            return Some(found);
        }
    }
    None
}

/// The errors of the device build that the annotated item reports: each at its own token where the item holds
/// it, or else at `name`, with the place in the text.
pub fn device_errors(
    view: &View<'_>,
    item: &Item,
    name: Span,
    tokens: &TokenStream,
    cfgs: &TokenStream,
) -> TokenStream {
    let mut all = TokenStream::new();
    for (form, row) in view.errors(item) {
        let at = &row.place;
        let cfg = form.cfg();
        let own = (at.file == row.owner_place.file).then(|| token_at(tokens, at.line, at.column)).flatten();
        let (span, message) = match own {
            Some(span) => (span, row.message.clone()),
            None => (name, format!("{}\n --> {}:{}:{}", row.message, at.file, at.line, at.column)),
        };
        let cfgs = quote!(#cfg #cfgs);
        all.extend(match row.shared {
            true => error_after_the_hosts(view, span, &message, &cfgs),
            false => device_error(span, &message, &cfgs),
        });
    }
    all
}
