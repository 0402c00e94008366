#[cfg(test)]
fn fallible(device: &Device) -> Result<(), Error> {
    device.stream().map(drop)
}
#[cfg(test)]
mod fallible {
    use super::fallible as body;
    #[::core::prelude::v1::test]
    fn simulator() -> ::std::process::ExitCode {
        let device = ::warpweft::__private::testing::simulator();
        ::warpweft::__private::testing::check_result(
            &device,
            ::std::process::Termination::report(body(&device)),
        )
    }
    ::warpweft::__device_build! {
        #[::core::prelude::v1::test] fn cuda() -> ::std::process::ExitCode { match
        ::warpweft::__private::testing::cuda() { ::core::result::Result::Ok(device) =>
        ::warpweft::__private::testing::check_result(& device,
        ::std::process::Termination::report(body(& device))),
        ::core::result::Result::Err(reason) => {
        ::warpweft::__private::testing::skip(::core::module_path!(), & reason);
        ::std::process::ExitCode::SUCCESS } } }
    }
}
