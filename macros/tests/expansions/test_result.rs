#[warpweft::test]
fn fallible(device: &Device) -> Result<(), Error> {
    device.stream().map(drop)
}
