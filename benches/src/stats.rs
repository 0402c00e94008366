//! Medians of repeated measurements.

use crate::Result;

/// The times of one subject, in milliseconds.
#[derive(Clone, Debug)]
pub struct Timed {
    sorted_ms: Vec<f64>,
}

impl Timed {
    /// Takes the times of all repetitions, in milliseconds.
    pub fn new(mut times_ms: Vec<f64>) -> Self {
        times_ms.sort_by(f64::total_cmp);
        Self { sorted_ms: times_ms }
    }

    /// Returns the time below which the given share of the repetitions lies; NaN if there was none.
    pub fn quantile_ms(&self, share: f64) -> f64 {
        let last = self.sorted_ms.len().saturating_sub(1);
        self.sorted_ms.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// Returns the median in milliseconds.
    pub fn median_ms(&self) -> f64 {
        self.quantile_ms(0.5)
    }

    /// Returns median and quartiles as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "median_ms": self.median_ms(),
            "lower_quartile_ms": self.quantile_ms(0.25),
            "upper_quartile_ms": self.quantile_ms(0.75),
            "repetitions": self.sorted_ms.len(),
        })
    }
}

/// Runs several subjects in turns, `warm_up` rounds untimed and `rounds` timed. A subject returns its time in
/// milliseconds. Every second round goes backwards, so that none is always the one that follows a certain other.
///
/// # Errors
/// The first error of a subject.
pub fn in_turns(
    warm_up: usize,
    rounds: usize,
    subjects: &mut [&mut dyn FnMut() -> Result<f64>],
) -> Result<Vec<Timed>> {
    let mut times = vec![Vec::with_capacity(rounds); subjects.len()];
    for round in 0..warm_up + rounds {
        for turn in 0..subjects.len() {
            let subject = if round % 2 == 0 { turn } else { subjects.len() - 1 - turn };
            let time_ms = subjects[subject]()?;
            if round >= warm_up {
                times[subject].push(time_ms);
            }
        }
    }
    Ok(times.into_iter().map(Timed::new).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quartiles() {
        let timed = Timed::new(vec![5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!((timed.median_ms(), timed.quantile_ms(0.25), timed.quantile_ms(1.0)), (3.0, 2.0, 5.0));
        assert!(Timed::new(Vec::new()).median_ms().is_nan());
    }

    #[test]
    fn subjects_take_turns_and_the_warm_up_does_not_count() {
        let calls = std::cell::RefCell::new(Vec::new());
        let subject = |name: char, time_ms: f64| {
            let calls = &calls;
            move || {
                calls.borrow_mut().push(name);
                Ok(time_ms)
            }
        };
        let timed = in_turns(1, 3, &mut [&mut subject('a', 1.0), &mut subject('b', 2.0)]).expect("no error");
        assert_eq!(calls.take(), ['a', 'b', 'b', 'a', 'a', 'b', 'b', 'a']);
        assert_eq!(timed.iter().map(Timed::median_ms).collect::<Vec<_>>(), [1.0, 2.0]);
        assert_eq!(timed[0].sorted_ms.len(), 3);
    }
}
