/// Parameters that have no name, and two that would hide the launcher's own.
#[kernel]
#[allow(unused_variables)]
fn patterns<'a>(
    Pair { x, y }: Pair,
    _: u32,
    grid: &'a [f32],
    stream: f32,
    patterns: f32,
    tile: Shared<[f32]>,
) where
    f32: Copy,
{
}
