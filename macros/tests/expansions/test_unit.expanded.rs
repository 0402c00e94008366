#[cfg(test)]
/// Launches nothing.
#[cfg(feature = "slow")]
#[cfg_attr(test, allow(unused))]
fn nothing(device: &Device) {
    let _ = device;
}
#[cfg(test)]
#[cfg(feature = "slow")]
mod nothing {
    use super::nothing as body;
    #[::core::prelude::v1::test]
    #[ignore = "slow"]
    #[cfg_attr(miri, ignore)]
    fn simulator() {
        let device = ::warpweft::__private::testing::simulator();
        {
            body(&device);
            ::warpweft::__private::testing::check(&device)
        }
    }
    ::warpweft::__device_build! {
        #[::core::prelude::v1::test] #[ignore = "slow"] #[cfg_attr(miri, ignore)] fn
        cuda() { match ::warpweft::__private::testing::cuda() {
        ::core::result::Result::Ok(device) => { body(& device);
        ::warpweft::__private::testing::check(& device) },
        ::core::result::Result::Err(reason) => {
        ::warpweft::__private::testing::skip(::core::module_path!(), & reason); } } }
    }
}
