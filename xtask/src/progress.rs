//! Progress of long steps: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A long step that is under way.
pub struct Step {
    bar: Option<ProgressBar>,
    what: String,
    started: Instant,
}

impl Step {
    /// Shows that a step begins.
    pub fn start(what: impl Into<String>) -> Self {
        let what = what.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner().with_message(what.clone());
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        if bar.is_none() {
            eprintln!("   ... {what}");
        }
        Self { bar, what, started: Instant::now() }
    }

    /// Shows what the step does at the moment.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(format!("{}: {line}", self.what)),
            None => eprintln!("       {line}"),
        }
    }

    /// Shows that the step has ended, and how.
    pub fn end(self, how: &str) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        eprintln!("    ok {}: {how} ({})", self.what, seconds(self.started.elapsed()));
    }
}

/// Spells a duration in seconds.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
