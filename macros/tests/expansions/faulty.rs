#[kernel]
fn faulty() {
    helper();
}
