#[warpweft::test]
#[should_panic(expected = "out of bounds")]
fn panics(device: &Device) {
    launch_beyond(device);
}
