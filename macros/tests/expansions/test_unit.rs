/// Launches nothing.
#[warpweft::test]
#[ignore = "slow"]
#[cfg(feature = "slow")]
#[cfg_attr(miri, ignore)]
#[cfg_attr(test, allow(unused))]
fn nothing(device: &Device) {
    let _ = device;
}
