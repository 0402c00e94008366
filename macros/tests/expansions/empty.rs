#[kernel]
pub fn empty() {}
