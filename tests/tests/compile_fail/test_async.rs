use warpweft::Device;

#[warpweft::test]
async fn t(device: &Device) {
    let _ = device;
}

fn main() {}
