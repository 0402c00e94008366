#[cfg(test)]
fn panics(device: &Device) {
    launch_beyond(device);
}
#[cfg(test)]
mod panics {
    use super::panics as body;
    #[::core::prelude::v1::test]
    #[should_panic(expected = "out of bounds")]
    fn simulator() {
        let device = ::warpweft::__private::testing::simulator();
        {
            body(&device);
            ::warpweft::__private::testing::check(&device)
        }
    }
    ::warpweft::__device_build! {
        #[::core::prelude::v1::test] #[should_panic(expected = "out of bounds")] fn
        cuda() { match ::warpweft::__private::testing::cuda() {
        ::core::result::Result::Ok(device) => { body(& device);
        ::warpweft::__private::testing::check(& device) },
        ::core::result::Result::Err(reason) => {
        ::warpweft::__private::testing::skip(::core::module_path!(), & reason);
        ::core::panic!("{}", "out of bounds") } } }
    }
}
