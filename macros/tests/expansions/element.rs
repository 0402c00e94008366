#[derive(Element)]
#[repr(C, align(16))]
pub struct Pair<T: Copy, const N: usize>
where
    T: Default,
{
    x: [T; N],
    y: u32,
}
