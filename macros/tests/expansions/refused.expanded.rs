pub fn refused(x: &mut [f32], tile: Shared<[f32; 4]>, _: Vec<u8>) -> f32 {
    x[0]
}
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code)]
pub enum refused {}
#[allow(dead_code, unused_variables, non_snake_case, clippy::too_many_arguments)]
impl refused {
    #[doc(hidden)]
    pub fn launch(
        _: impl ::core::marker::Sized,
        _: impl ::core::marker::Sized,
        x: impl ::core::marker::Sized,
        arg2: impl ::core::marker::Sized,
    ) -> ::warpweft::Result<()> {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "a kernel returns nothing: remove this, and write results into a `DisjointSlice<T>` parameter"
}
::core::compile_error! {
    "every thread of the launch would hold this `&mut`: use `DisjointSlice<f32>`, in which each thread writes its own elements"
}
::core::compile_error! {
    "a `Vec` lies in host memory: upload it with `stream.upload`, and take `&[u8]` to read the buffer or `DisjointSlice<u8>` to write it"
}
