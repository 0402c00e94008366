//! show.

use warpweft::prelude::*;

#[kernel]
fn number(mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(&thread::index()) {
        *y = 60;
    }
}

fn main() -> warpweft::Result<()> {
    let device = Device::sim();
    assert_eq!(targets::of_library(&device)?, [10, 10]);
    assert_eq!(targets::run(&device, |stream, y| number::launch(stream, Grid::cover(2), y))?, [60, 60]);
    assert_eq!(number::KERNEL.image().is_some(), cfg!(not(sim)));
    println!("show says 60");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[warpweft::test]
    fn of_program(device: &Device) -> warpweft::Result<()> {
        assert_eq!(targets::run(device, |stream, y| number::launch(stream, Grid::cover(2), y))?, [60, 60]);
        Ok(())
    }
}
