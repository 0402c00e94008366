#[automatically_derived]
unsafe impl<T: Copy + ::warpweft::KernelArg, const N: usize> ::warpweft::KernelArg
for Pair<T, N>
where
    T: Default,
{}
#[automatically_derived]
unsafe impl<T: Copy + ::warpweft::Element, const N: usize> ::warpweft::Element
for Pair<T, N>
where
    T: Default,
{}
const _: () = {
    fn __check<T: ::warpweft::Element>() {}
    #[allow(dead_code, clippy::extra_unused_type_parameters)]
    fn __fields<T: Copy + ::warpweft::Element, const N: usize>()
    where
        T: Default,
    {
        __check::<[T; N]>();
        __check::<u32>();
    }
};
