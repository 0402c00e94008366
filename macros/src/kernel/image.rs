//! The device code of one kernel, as far as the build helper's table has it.

use std::sync::atomic::{AtomicBool, Ordering};

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::parse::KernelFn;
use crate::lookup::{Form, Found, Item, View};
use crate::report::{device_error, device_errors, error_after_the_hosts};
use crate::unit::{Device, Unit};

/// The device code of a kernel in the forms of the crate.
pub struct Images {
    forms: Vec<(Form, Option<Image>)>,
    /// `compile_error!` items, each with its cfg.
    pub errors: TokenStream,
}

/// A kernel's entry in a PTX image.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Image {
    symbol: String,
    file: String,
    id: u64,
}

impl Images {
    /// Looks the kernel up.
    pub fn find(kernel: &KernelFn, item: &TokenStream, unit: &Unit) -> Self {
        let span = kernel.sig.ident.span();
        let none = |errors| Self { forms: vec![(Form::Any, None)], errors };
        match unit.device() {
            Device::SimulatorOnly => none(TokenStream::new()),
            Device::Fault(message) => none(fault(kernel, span, &message)),
            Device::Table(table) => {
                let view = View::new(unit, &table);
                let name = Item::new(&kernel.sig.ident);
                let mut errors = device_errors(&view, &name, span, item, &cfgs(kernel));
                let forms = merge(view.kernel(&name));
                let quiet = !errors.is_empty();
                let forms = forms
                    .into_iter()
                    .map(|(form, found)| match found {
                        Found::Image { symbol, file, id } => (form, Some(Image { symbol, file, id })),
                        Found::Failed => (form, None),
                        Found::Unparsed(message) => {
                            let (cfg, cfgs) = (form.cfg(), cfgs(kernel));
                            errors.extend(error_after_the_hosts(&view, span, &message, &quote!(#cfg #cfgs)));
                            (form, None)
                        }
                        Found::Absent(message) => {
                            if !quiet {
                                let (cfg, cfgs) = (form.cfg(), cfgs(kernel));
                                errors.extend(device_error(span, &message, &quote!(#cfg #cfgs)));
                            }
                            (form, None)
                        }
                    })
                    .collect();
                Self { forms, errors }
            }
        }
    }

    /// `let` statements, of which each configuration keeps one, that bind `symbol` and `image`.
    pub fn statements(&self) -> TokenStream {
        let statements = self.forms.iter().map(|(form, image)| {
            let cfg = form.cfg();
            let value = match image {
                Some(image) => image.value(),
                None => quote!(("", ::core::option::Option::None)),
            };
            quote!(#cfg let (symbol, image) = #value;)
        });
        quote!(#(#statements)*)
    }
}

impl Image {
    fn value(&self) -> TokenStream {
        let symbol = &self.symbol;
        let path = format!("/warpweft/{}", self.file);
        let id = proc_macro2::Literal::u64_suffixed(self.id);
        quote!((#symbol, ::warpweft::__image!(#id, #path)))
    }
}

/// One entry where both forms agree, else one for each.
fn merge([plain, test]: [Found; 2]) -> Vec<(Form, Found)> {
    if plain == test { vec![(Form::Any, plain)] } else { vec![(Form::Plain, plain), (Form::Test, test)] }
}

/// The function's own `#[cfg]`s, which every generated item repeats.
pub fn cfgs(kernel: &KernelFn) -> TokenStream {
    let cfgs = kernel.attrs_named("cfg");
    quote!(#(#cfgs)*)
}

/// A fault of the whole crate, on its first kernel.
fn fault(kernel: &KernelFn, span: Span, message: &str) -> TokenStream {
    // A compiler process expands one crate. (An editor's expands many, and is never told of faults.)
    static SAID: AtomicBool = AtomicBool::new(false);
    let cfgs = cfgs(kernel);
    // A kernel with a #[cfg] may not exist, so that its error would not be seen: the next one says it as well.
    let said =
        if cfgs.is_empty() { SAID.swap(true, Ordering::Relaxed) } else { SAID.load(Ordering::Relaxed) };
    if said {
        return TokenStream::new();
    }
    device_error(span, message, &cfgs)
}
