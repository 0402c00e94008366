/// Launches nothing.
#[warpweft::test]
#[ignore = "slow"]
#[cfg(feature = "slow")]
fn nothing(device: &Device) {
    let _ = device;
}
