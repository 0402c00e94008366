#[warpweft::test]
fn t() {}

fn main() {}
