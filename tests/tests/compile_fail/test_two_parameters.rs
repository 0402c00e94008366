use warpweft::Device;

#[warpweft::test]
fn t(device: &Device, n: u32) {
    let _ = (device, n);
}

fn main() {}
