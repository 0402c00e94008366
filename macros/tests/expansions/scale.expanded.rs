impl Scale {
    fn scale(self) -> f32 {
        self.x.sinh()
    }
}
#[cfg(all(not(sim), not(test)))]
::core::compile_error! {
    "no method named `sinh` on the GPU"
}
