//! The text that the view adds.

use super::support::{Package, text};

fn added(source: &str) -> (Vec<String>, crate::view::View) {
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    let text = text(&view, &package, "src/main.rs");
    let added = text.lines().skip(source.lines().count()).map(str::to_owned).collect();
    (added, view)
}

#[test]
fn an_entry_takes_two_words_for_each_parameter() {
    let (added, view) = added("#[kernel]\nfn saxpy<'a>(a: f32, (x, _): (&'a [f32], u8)) {}\n");
    let expected = "#[unsafe(no_mangle)] #[cfg(not(warpweft_library))] \
        #[allow(improper_ctypes_definitions,non_snake_case,private_interfaces,unused_unsafe)] \
        pub unsafe extern \"ptx-kernel\" fn demo__saxpy< 'a >(\
        p0: <f32 as ::warpweft::__private::KernelParam>::Ptr, m0: <f32 as ::warpweft::__private::KernelParam>::Meta, \
        p1: <(& 'a [f32] , u8) as ::warpweft::__private::KernelParam>::Ptr, \
        m1: <(& 'a [f32] , u8) as ::warpweft::__private::KernelParam>::Meta, \
        )  { unsafe { saxpy(::warpweft::__private::KernelParam::from_abi(p0, m0), \
        ::warpweft::__private::KernelParam::from_abi(p1, m1), ) } }";
    let squeezed = |text: &str| text.replace(' ', "");
    assert_eq!(squeezed(&added[0]), squeezed(expected));
    assert_eq!(view.kernels[0].symbol, "demo__saxpy");
    assert_eq!((view.kernels[0].owner.line, view.kernels[0].owner.column), (2, 4));
}

#[test]
fn an_entry_repeats_the_conditions_of_its_kernel() {
    let (added, _) = added("#[cfg(feature = \"a\")] #[cfg_attr(feature = \"b\", kernel)] unsafe fn k() {}\n");
    assert!(
        added[0].starts_with("#[cfg(feature = \"a\")] #[cfg(feature = \"b\")] #[unsafe(no_mangle)] #[cfg(not(warpweft_library))]"),
        "{added:?}"
    );
}

#[test]
fn names_become_symbols_that_ptx_allows() {
    let (added, view) = added("mod r#mod { #[kernel] fn größe() {} }\n#[kernel] fn r#type() {}\n");
    let symbols: Vec<&str> = view.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
    assert_eq!(symbols, ["demo__mod__gr_uf6__udf_e", "demo__type"]);
    assert_eq!(view.kernels[1].owner.name, "type");
    assert!(added[0].ends_with("{ unsafe { r#type() } }"), "{added:?}");
}

#[test]
fn a_shim_of_an_inline_module_stands_before_its_brace() {
    let source = "mod a { #[kernel] fn k() {}\n} mod b { #[kernel] fn k() {} }\n";
    let package = Package::new(&[("src/main.rs", source)]);
    let view = package.view("src/main.rs");
    let lines: Vec<&str> = text(&view, &package, "src/main.rs").lines().collect();
    assert_eq!(lines[0].trim_end(), "mod a {           fn k() {}");
    assert!(
        lines[1].starts_with("#[unsafe(no_mangle)] #[cfg(not(warpweft_library))]")
            && lines[1].contains("fn demo__a__k("),
        "{}",
        lines[1]
    );
    assert!(lines[1].contains("} } } mod b {           fn k() {} #[unsafe(no_mangle)]"), "{}", lines[1]);
    assert!(lines[1].ends_with("{ unsafe { k() } } }"), "{}", lines[1]);
}

#[test]
fn derives_become_marker_impls() {
    let (added, _) = added(
        "#[cfg(feature = \"a\")] #[derive(KernelArg)] struct A<'a, T: Copy, const N: usize>(&'a [T; N]) where T: Send;\n\
         #[cfg_attr(feature = \"b\", derive(Element))] struct B(f32);\n\
         #[derive(KernelArg, Element)] struct C(f32);\n",
    );
    let squeezed: Vec<String> = added.iter().map(|line| line.replace(' ', "")).collect();
    let expected = [
        "#[cfg(feature=\"a\")]unsafeimpl<'a,T:Copy+::warpweft::KernelArg,constN:usize>::warpweft::KernelArgforA<'a,T,N>whereT:Send{}",
        "#[cfg(feature=\"b\")]unsafeimpl::warpweft::KernelArgforB{}",
        "#[cfg(feature=\"b\")]unsafeimpl::warpweft::ElementforB{}",
        "unsafeimpl::warpweft::KernelArgforC{}",
        "unsafeimpl::warpweft::ElementforC{}",
    ];
    assert_eq!(squeezed[..5], expected);
}

#[test]
fn a_signature_that_the_macro_refuses_gets_no_entry() {
    for signature in [
        "fn k<T>(x: T)",
        "fn k(x: impl Copy)",
        "fn k(x: &[_])",
        "fn k<const N: usize>()",
        "fn k() -> f32",
        "async fn k()",
        "const fn k()",
        "extern \"C\" fn k()",
    ] {
        let (added, view) = added(&format!("#[kernel] {signature} {{ loop {{}} }}\n"));
        assert!(view.kernels.is_empty(), "{signature}");
        assert_eq!(added.len(), 1, "{signature}: {added:?}");
    }
}

#[test]
fn two_kernels_of_one_symbol_are_an_error() {
    let (_, view) = added("mod a { #[kernel] pub fn b__c() {} }\nmod a__b { #[kernel] pub fn c() {} }\n");
    assert_eq!(view.errors.len(), 1);
    let error = &view.errors[0];
    assert_eq!((error.owner.name.as_str(), error.line, error.column), ("c", 2, 29));
    assert!(error.message.contains("both get the symbol `demo__a__b__c`: rename"), "{}", error.message);
    let (_, view) = added(
        "#[cfg(feature = \"a\")] #[kernel] fn k() {}\n#[cfg(not(feature = \"a\"))] #[kernel] fn k() {}\n",
    );
    assert_eq!(view.errors, []);
}
