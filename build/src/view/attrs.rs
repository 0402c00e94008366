//! Which attributes of kept code stay.
//!
//! The device build runs no procedural macro: this project's own attributes, derives outside core's, and every
//! attribute that rustc does not define are blanked, and so are doc comments and lint levels (a lint may not
//! fail the device build).

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::marks::{head, is_ours, token_list};
use super::mask::Mask;

const DERIVES: [&str; 9] =
    ["Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default", "Debug"];

const KEPT: [&str; 19] = [
    "allow",
    "automatically_derived",
    "cfg",
    "cold",
    "default",
    "export_name",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "no_mangle",
    "non_exhaustive",
    "path",
    "repr",
    "track_caller",
    "unsafe",
    "used",
];

/// What becomes of an attribute.
enum Edit {
    Keep,
    Drop,
    Cut(Vec<Range<usize>>),
}

/// Decides about the tokens between `#[` and `]`.
fn edit(tokens: &[TokenTree]) -> Edit {
    let (path, arguments) = head(tokens);
    match path.as_str() {
        "derive" => cut_list(arguments, 0, |part| {
            let path = head(part).0;
            let path = path.strip_prefix("::").unwrap_or(&path);
            let name = path.rsplit("::").next().unwrap_or_default();
            let core = path == name || path.starts_with("std::") || path.starts_with("core::");
            if core && DERIVES.contains(&name) { Edit::Keep } else { Edit::Drop }
        }),
        "cfg_attr" => cut_list(arguments, 1, edit),
        path if KEPT.contains(&path) || path.starts_with("diagnostic::") => Edit::Keep,
        _ => Edit::Drop,
    }
}

/// Edits the elements of a list after the first `skip`; drops the attribute when none of them stays.
fn cut_list(arguments: Option<TokenStream>, skip: usize, decide: impl Fn(&[TokenTree]) -> Edit) -> Edit {
    let parts = arguments.map(token_list).unwrap_or_default();
    let mut cuts = Vec::new();
    let mut kept = 0;
    for (at, part) in parts.iter().enumerate().skip(skip) {
        match decide(&part.0) {
            Edit::Keep => kept += 1,
            Edit::Drop => {
                let range = part.range();
                let end = parts.get(at + 1).map_or(range.end, |next| next.range().start);
                cuts.push(range.start..end);
            }
            Edit::Cut(inner) => {
                kept += 1;
                cuts.extend(inner);
            }
        }
    }
    match (kept, cuts.is_empty()) {
        (0, _) => Edit::Drop,
        (_, true) => Edit::Keep,
        _ => Edit::Cut(cuts),
    }
}

/// Blanks attributes inside kept code.
pub(super) struct Filter<'a> {
    pub(super) mask: &'a mut Mask,
}

impl Filter<'_> {
    /// Blanks what does not stay of some attributes.
    pub(super) fn attributes(&mut self, attrs: &[syn::Attribute]) {
        for attr in attrs {
            self.visit_attribute(attr);
        }
    }

    /// Looks through the tokens of a `macro_rules!` for attributes that only this project or a derive macro
    /// understands.
    pub(super) fn macro_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let hash = at.checked_sub(1).map(|before| &tokens[before]);
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let path = head(&inner).0;
            if let Some(TokenTree::Punct(hash)) = hash
                && hash.as_char() == '#'
                && group.delimiter() == Delimiter::Bracket
            {
                if ["derive", "cfg_attr"].contains(&path.as_str())
                    || is_ours(&path, "kernel")
                    || is_ours(&path, "device")
                {
                    let whole = hash.span().byte_range().start..group.span().byte_range().end;
                    self.apply(&inner, whole);
                }
            } else {
                self.macro_tokens(group.stream());
            }
        }
    }

    fn apply(&mut self, tokens: &[TokenTree], whole: Range<usize>) {
        match edit(tokens) {
            Edit::Keep => {}
            Edit::Drop => self.mask.cut(whole),
            Edit::Cut(ranges) => ranges.into_iter().for_each(|range| self.mask.cut(range)),
        }
    }
}

impl<'ast> Visit<'ast> for Filter<'_> {
    fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
        let tokens: Vec<TokenTree> = attr.meta.to_token_stream().into_iter().collect();
        self.apply(&tokens, attr.span().byte_range());
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.attributes(&item.attrs);
        if item.mac.path.is_ident("macro_rules") {
            self.macro_tokens(item.mac.tokens.clone());
        }
    }
}
