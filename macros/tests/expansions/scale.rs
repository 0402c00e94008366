#[device]
impl Scale {
    fn scale(self) -> f32 {
        self.x.sinh()
    }
}
