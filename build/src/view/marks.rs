//! What an item's attributes say: whether it is device code, a kernel, and under which `cfg`.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, Meta};

/// The `cfg` facts that are the same in every device build of a target.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// `cfg(test)`.
    pub(super) test: bool,
}

impl Known {
    /// Evaluates a `cfg` predicate; `None` when it depends on what is not known here, such as features.
    pub(super) fn eval(self, predicate: &TokenStream) -> Option<bool> {
        let tokens: Vec<TokenTree> = predicate.clone().into_iter().collect();
        match tokens.as_slice() {
            [TokenTree::Ident(name)] => match name.to_string().as_str() {
                "test" => Some(self.test),
                "true" => Some(true),
                "false" | "sim" | "unix" | "windows" | "doc" | "doctest" | "miri" | "proc_macro" => {
                    Some(false)
                }
                _ => None,
            },
            [TokenTree::Ident(name), TokenTree::Punct(equals), TokenTree::Literal(value)]
                if equals.as_char() == '=' =>
            {
                let value = value.to_string();
                match name.to_string().as_str() {
                    "target_arch" => Some(value == "\"nvptx64\""),
                    "target_os" => Some(value == "\"cuda\""),
                    "target_pointer_width" => Some(value == "\"64\""),
                    _ => None,
                }
            }
            [TokenTree::Ident(name), TokenTree::Group(group)] => {
                let parts = token_list(group.stream());
                let values: Vec<Option<bool>> = parts.iter().map(|part| self.eval(&part.tokens())).collect();
                // One value decides; without it one unknown value leaves the whole unknown.
                let decided_by = |value: bool| match values.contains(&Some(value)) {
                    true => Some(value),
                    false => (!values.contains(&None)).then_some(!value),
                };
                match name.to_string().as_str() {
                    "not" => values.first().copied().flatten().map(|value| !value),
                    "all" => decided_by(false),
                    "any" => decided_by(true),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// One element of a comma-separated list of tokens.
pub(super) struct Part(pub(super) Vec<TokenTree>);

impl Part {
    /// The tokens again as a stream.
    pub(super) fn tokens(&self) -> TokenStream {
        self.0.iter().cloned().collect()
    }

    /// The bytes from the first to the last token.
    pub(super) fn range(&self) -> Range<usize> {
        let start = self.0.first().map_or(0, |token| token.span().byte_range().start);
        start..self.0.last().map_or(start, |token| token.span().byte_range().end)
    }
}

/// Splits tokens at their top-level commas.
pub(super) fn token_list(tokens: TokenStream) -> Vec<Part> {
    let mut parts = vec![Part(Vec::new())];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => parts.push(Part(Vec::new())),
            (_, Some(part)) => part.0.push(token),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.0.is_empty());
    parts
}

/// The path at the head of an attribute or derive, segments joined by `::`, and the tokens in the delimiters
/// that follow it.
pub(super) fn head(tokens: &[TokenTree]) -> (String, Option<TokenStream>) {
    let mut path = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => path += &name.to_string(),
            TokenTree::Punct(colon) if colon.as_char() == ':' => path.push(':'),
            TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                return (path, Some(group.stream()));
            }
            _ => break,
        }
    }
    (path, None)
}

/// Whether a path names `name` of this project: alone or below `warpweft`.
pub(super) fn is_ours(path: &str, name: &str) -> bool {
    let path = path.strip_prefix("::").unwrap_or(path);
    path == name || path.strip_prefix("warpweft::").is_some_and(|rest| rest.rsplit("::").next() == Some(name))
}

/// The `cfg` predicates among the attributes of an item.
pub(super) fn guards(attrs: &[Attribute]) -> Vec<TokenStream> {
    attrs
        .iter()
        .filter_map(|attr| match &attr.meta {
            Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
            _ => None,
        })
        .collect()
}

/// What marks an item as device code.
#[derive(Default)]
pub(super) struct Marks {
    /// `#[kernel]`, with the predicates of the `cfg_attr` around it.
    pub(super) kernel: Option<Vec<TokenStream>>,
    /// `#[device]`.
    pub(super) device: bool,
    /// `derive(KernelArg)`, with predicates.
    pub(super) kernel_arg: Option<Vec<TokenStream>>,
    /// `derive(Element)`, with predicates.
    pub(super) element: Option<Vec<TokenStream>>,
    /// The item's own `cfg` predicates.
    pub(super) guards: Vec<TokenStream>,
    /// A test: never device code unless marked.
    pub(super) test: bool,
    /// A `cfg` that is false in this view.
    pub(super) dead: bool,
    /// The item's own `cfg` decides, by facts that are not known here.
    pub(super) conditional: bool,
}

impl Marks {
    /// Reads the attributes of an item.
    pub(super) fn read(attrs: &[Attribute], known: Known) -> Marks {
        let mut marks = Marks { guards: guards(attrs), ..Marks::default() };
        for guard in &marks.guards {
            match known.eval(guard) {
                Some(true) => {}
                Some(false) => marks.dead = true,
                None => marks.conditional = true,
            }
            marks.test |= guard.to_string() == "test";
        }
        for attr in attrs {
            let tokens: Vec<TokenTree> = attr.meta.to_token_stream().into_iter().collect();
            marks.attribute(&tokens, &mut Vec::new(), known);
        }
        marks
    }

    /// Whether the item itself is device code.
    pub(super) fn marked(&self) -> bool {
        !self.dead
            && (self.device || self.kernel.is_some() || self.kernel_arg.is_some() || self.element.is_some())
    }

    fn attribute(&mut self, tokens: &[TokenTree], around: &mut Vec<TokenStream>, known: Known) {
        let (path, arguments) = head(tokens);
        if is_ours(&path, "kernel") {
            self.kernel = Some(around.clone());
        } else if is_ours(&path, "device") {
            self.device = true;
        } else if path == "test" || path.ends_with("::test") {
            self.test = true;
        } else if path == "derive" {
            for part in arguments.map(token_list).unwrap_or_default() {
                let (path, _) = head(&part.0);
                if is_ours(&path, "KernelArg") {
                    self.kernel_arg = Some(around.clone());
                } else if is_ours(&path, "Element") {
                    self.element = Some(around.clone());
                }
            }
        } else if path == "cfg_attr" {
            let parts = arguments.map(token_list).unwrap_or_default();
            let Some((predicate, rest)) = parts.split_first() else { return };
            if known.eval(&predicate.tokens()) == Some(false) {
                return;
            }
            around.push(predicate.tokens());
            for part in rest {
                self.attribute(&part.0, around, known);
            }
            around.pop();
        }
    }
}

/// The attributes of an item.
pub(super) fn item_attrs(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// What an item is called in an explanation, and its name.
pub(super) fn item_name(item: &Item) -> Option<(&'static str, &proc_macro2::Ident)> {
    Some(match item {
        Item::Const(item) => ("constant", &item.ident),
        Item::Enum(item) => ("enum", &item.ident),
        Item::Fn(item) => ("function", &item.sig.ident),
        Item::Macro(item) => ("macro", item.ident.as_ref()?),
        Item::Mod(item) => ("module", &item.ident),
        Item::Static(item) => ("static", &item.ident),
        Item::Struct(item) => ("struct", &item.ident),
        Item::Trait(item) => ("trait", &item.ident),
        Item::TraitAlias(item) => ("trait alias", &item.ident),
        Item::Type(item) => ("type", &item.ident),
        Item::Union(item) => ("union", &item.ident),
        _ => return None,
    })
}

/// The attributes of a method or other item of an impl.
pub(super) fn impl_item_attrs(item: &syn::ImplItem) -> &[Attribute] {
    match item {
        syn::ImplItem::Const(item) => &item.attrs,
        syn::ImplItem::Fn(item) => &item.attrs,
        syn::ImplItem::Type(item) => &item.attrs,
        syn::ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}
