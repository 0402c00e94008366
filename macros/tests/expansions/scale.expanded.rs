impl Scale {
    fn scale(self) -> f32 {
        self.x.sinh()
    }
}
#[cfg(not(test))]
::warpweft::__device_build! {
    ::core::compile_error! { "no method named `sinh` on the GPU" }
}
