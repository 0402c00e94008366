//! Comparison with a CPU reference.

use std::fmt::Debug;

use crate::{Error, Result};

/// Checks that two results are equal, value by value.
///
/// # Errors
/// [`Error::Verify`] with the first difference.
pub fn all_equal<T: PartialEq + Debug>(what: &'static str, got: &[T], expected: &[T]) -> Result<()> {
    compare(what, got, expected, T::eq)
}

/// Checks that two results differ by at most `tolerance` in each value; NaN equals nothing.
///
/// # Errors
/// [`Error::Verify`] with the first difference.
pub fn all_close(what: &'static str, got: &[f32], expected: &[f32], tolerance: f32) -> Result<()> {
    compare(what, got, expected, |a, b| (a - b).abs() <= tolerance)
}

fn compare<T: Debug>(
    what: &'static str,
    got: &[T],
    expected: &[T],
    same: impl Fn(&T, &T) -> bool,
) -> Result<()> {
    let longer = got.len().max(expected.len());
    let differs = |i: &usize| !matches!((got.get(*i), expected.get(*i)), (Some(a), Some(b)) if same(a, b));
    let Some(first) = (0..longer).find(differs) else {
        println!("verified: {what}: {longer} values agree with the CPU reference");
        return Ok(());
    };
    let show =
        |values: &[T]| values.get(first).map_or_else(|| "nothing".to_owned(), |value| format!("{value:?}"));
    let wrong = (first..longer).filter(differs).count();
    Err(Error::Verify { what, wrong, total: longer, first, got: show(got), expected: show(expected) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        assert!(all_equal("x", &[1, 2, 3], &[1, 2, 3]).is_ok());
        let error = all_equal("x", &[1, 5, 3], &[1, 2, 4]).expect_err("they differ");
        assert!(matches!(error, Error::Verify { wrong: 2, total: 3, first: 1, .. }), "{error:?}");
        assert!(all_equal("x", &[1, 2], &[1, 2, 3]).is_err());
        assert!(all_close("x", &[1.0], &[1.4], 0.5).is_ok());
        assert!(all_close("x", &[1.0], &[1.6], 0.5).is_err());
        assert!(all_close("x", &[f32::NAN], &[f32::NAN], 0.5).is_err());
    }
}
