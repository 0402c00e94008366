//! The documentation of the generated items.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, Meta};

use super::parse::KernelFn;

/// The doc comment of the enum that carries the launcher.
pub fn of_enum(kernel: &KernelFn) -> TokenStream {
    let name = &kernel.sig.ident;
    doc(&format!("The kernel [`{name}`](fn@{name}), ready to launch: `{name}::launch(&stream, grid, ..)`."))
}

/// The doc comment of the kernel's description.
pub fn of_constant(kernel: &KernelFn) -> TokenStream {
    let name = &kernel.sig.ident;
    doc(&format!("Name, place and device code of the kernel [`{name}`](fn@{name})."))
}

/// The doc comment of the launcher.
pub fn of_launcher(kernel: &KernelFn) -> TokenStream {
    let name = &kernel.sig.ident;
    let mut text = format!(
        "Launches the kernel [`{name}`](fn@{name}) on `stream`, over the blocks and threads of `grid`.\n\
         \n\
         Asynchronous: returns when the launch is queued on `stream`. The kernel runs after the work that was \
         queued there before, and its buffers are borrowed for this call only, since later uses are ordered \
         behind it.\n\
         \n\
         # Errors\n\
         - A grid, a block or an amount of shared memory that the device does not allow.\n\
         - A buffer of another device or of a context that is gone.\n\
         - Device code that the driver cannot load.\n\
         \n\
         A panic of the kernel is an error of the next synchronisation of the stream."
    );
    if kernel.is_unsafe() {
        text.push_str("\n\n# Safety\n");
        text.push_str(&safety_section(kernel).unwrap_or_else(|| {
            format!("The caller keeps, for every thread of the launch, what [`{name}`](fn@{name}) asks of its callers.")
        }));
    }
    doc(&text)
}

fn doc(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// The text of the function's `# Safety` section, without its heading.
fn safety_section(kernel: &KernelFn) -> Option<String> {
    let docs: Vec<String> = kernel.attrs_named("doc").filter_map(text).collect();
    let docs = docs.join("\n");
    let mut section: Option<String> = None;
    let mut code = false;
    for line in docs.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        code ^= line.trim_start().starts_with("```");
        if !code && line.starts_with('#') {
            match section {
                Some(_) => break,
                None if line.trim_start_matches('#').trim() == "Safety" => section = Some(String::new()),
                None => {}
            }
        } else if let Some(section) = &mut section {
            section.push_str(line);
            section.push('\n');
        }
    }
    section.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn text(attr: &syn::Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_safety_section_ends_at_the_next_heading() {
        let kernel = KernelFn::parse(quote! {
            /// Copies.
            ///
            /// # Safety
            /// 1. `to` holds `n` elements.
            /// ```
            /// # hidden line of an example
            /// ```
            /// 2. Nobody else writes.
            ///
            /// # References
            /// None.
            unsafe fn copy(to: *mut f32, n: usize) {}
        })
        .unwrap();
        let section = safety_section(&kernel).unwrap();
        assert_eq!(
            section,
            "1. `to` holds `n` elements.\n```\n# hidden line of an example\n```\n2. Nobody else writes."
        );
    }
}
