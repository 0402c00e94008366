//! The groups of one run of the test suite and the table at its end.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::progress::seconds;

/// How many checks a group made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Count {
    /// Checks that held.
    pub passed: usize,
    /// Checks that did not.
    pub failed: usize,
    /// Checks that were left out.
    pub ignored: usize,
}

impl Count {
    /// Reads the numbers in a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    pub fn of_line(line: &str) -> Option<Self> {
        let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let number = |unit: &str| {
            let part = numbers.split(';').find(|part| part.trim_end().ends_with(unit))?;
            part.trim().split(' ').next()?.parse().ok()
        };
        Some(Self { passed: number("passed")?, failed: number("failed")?, ignored: number("ignored")? })
    }
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

/// How a group ended.
enum Outcome {
    /// It ran; `Some` holds what went wrong.
    Ran(Count, Option<String>),
    /// It did not run, for this reason.
    Skipped(String),
}

/// All groups of a run.
pub struct Report {
    only: Option<String>,
    rows: Vec<(String, Outcome, Duration)>,
    started: Instant,
}

impl Report {
    /// Makes a report of the groups whose name contains `only`.
    pub fn new(only: Option<String>) -> Self {
        Self { only, rows: Vec::new(), started: Instant::now() }
    }

    /// Tells whether the group is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| name.contains(only))
    }

    /// Runs one group, or notes why it cannot run.
    ///
    /// `check` returns its counts and, when something failed, what it was.
    pub fn group(
        &mut self,
        name: &str,
        possible: Result<(), String>,
        check: impl FnOnce() -> Result<(Count, Option<String>)>,
    ) {
        if !self.wants(name) {
            return;
        }
        let started = Instant::now();
        let outcome = match possible {
            Err(reason) => {
                println!("\n== {name}: skipped: {reason}");
                Outcome::Skipped(reason)
            }
            Ok(()) => {
                println!("\n== {name}");
                match check() {
                    Ok((count, fault)) => Outcome::Ran(count, fault),
                    Err(error) => {
                        println!("{error:#}");
                        let first = format!("{error:#}").lines().next().unwrap_or_default().to_owned();
                        Outcome::Ran(Count { failed: 1, ..Count::default() }, Some(first))
                    }
                }
            }
        };
        self.rows.push((name.to_owned(), outcome, started.elapsed()));
    }

    /// Counts the groups that failed.
    pub fn failed(&self) -> usize {
        self.rows.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Ran(_, Some(_)))).count()
    }

    /// Prints one line per group and a closing line in the form of cargo's.
    pub fn print(&self) {
        let width = self.rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let mut total = Count::default();
        let mut skipped = 0;
        println!("\n{:width$}  {:>9}  result", "group", "time");
        for (name, outcome, time) in &self.rows {
            let time = seconds(*time);
            match outcome {
                Outcome::Ran(count, fault) => {
                    total += *count;
                    let Count { passed, failed, ignored } = count;
                    let ignored = if *ignored > 0 { format!(", {ignored} ignored") } else { String::new() };
                    match fault {
                        None => println!("{name:width$}  {time:>9}  ok: {passed} passed{ignored}"),
                        Some(fault) => {
                            println!(
                                "{name:width$}  {time:>9}  FAILED: {passed} passed, {failed} failed{ignored}: {fault}"
                            );
                        }
                    }
                }
                Outcome::Skipped(reason) => {
                    skipped += 1;
                    println!("{name:width$}  {:>9}  skipped: {reason}", "-");
                }
            }
        }
        let word = if self.failed() == 0 { "ok" } else { "FAILED" };
        println!(
            "\ntest result: {word}. {} passed; {} failed; {} ignored; 0 measured; 0 filtered out; finished in {:.2}s",
            total.passed,
            total.failed,
            total.ignored,
            self.started.elapsed().as_secs_f64()
        );
        if skipped > 0 {
            println!("groups skipped: {skipped} (reasons above)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_result_lines_are_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(Count::of_line(line), Some(Count { passed: 12, failed: 3, ignored: 1 }));
        assert_eq!(Count::of_line("running 3 tests"), None);
    }

    #[test]
    fn a_failing_group_is_counted_and_a_skipped_one_is_not() {
        let mut report = Report::new(None);
        report.group("skipped", Err("no reason".to_owned()), || unreachable!("a skipped group must not run"));
        report.group("bad", Ok(()), || anyhow::bail!("broken"));
        report.group("good", Ok(()), || Ok((Count { passed: 1, ..Count::default() }, None)));
        assert_eq!((report.rows.len(), report.failed()), (3, 1));
    }
}
