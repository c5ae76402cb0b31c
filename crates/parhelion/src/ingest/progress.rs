//! How far a whole run is, on standard error: a bar for a terminal; for a log, which would be filled by a
//! bar, a line every ten seconds. In: the run's advance after each page, and the clock. How many rows there
//! are, counted or estimated, is said by the run.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use ingest::mass::{OnProgress, RunAdvance};
use meter::Clock as _;

use crate::ambient::SystemClock;
use crate::output;

const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows a run's advance; clones show the same.
#[derive(Clone)]
pub enum Progress {
    Bar(ProgressBar),
    Lines(Arc<Mutex<ProgressLines>>),
}

impl Progress {
    /// As standard error can show it.
    pub fn shown() -> Self {
        if !output::on_terminal() {
            return Self::Lines(Arc::default());
        }
        let style =
            ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows, {per_sec}, {eta} left{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self::Bar(ProgressBar::no_length().with_style(style))
    }

    pub fn on_progress(&self) -> OnProgress {
        match self.clone() {
            Self::Bar(bar) => Arc::new(move |advance| move_bar(&bar, advance)),
            Self::Lines(lines) => Arc::new(move |advance| {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(line) = lines.next(Duration::from_nanos(SystemClock.now_ns()), advance) {
                    output::note(&line);
                }
            }),
        }
    }

    /// Clears the bar; lines stay.
    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn move_bar(bar: &ProgressBar, advance: RunAdvance) {
    if let Some(rows) = advance.rows {
        bar.set_length(rows);
    }
    bar.set_position(advance.totals.rows());
    if advance.totals.rejected > 0 {
        bar.set_message(format!(", {} refused", advance.totals.rejected));
    }
}

/// Which advances are worth a line.
#[derive(Default)]
pub struct ProgressLines {
    begun: Option<Begun>,
}

struct Begun {
    at: Duration,
    /// Dealt with before: by a run that goes on, or with the first page, of which nobody knows when it began.
    rows: u64,
    next_at: Duration,
}

impl ProgressLines {
    /// The line, when one is due at `now`, by a clock that begins anywhere.
    fn next(&mut self, now: Duration, advance: RunAdvance) -> Option<String> {
        let done = advance.totals.rows();
        let begun = self.begun.get_or_insert(Begun { at: now, rows: done, next_at: now + LINE_EVERY });
        if now < begun.next_at {
            return None;
        }
        begun.next_at = now + LINE_EVERY;
        let rate = done.saturating_sub(begun.rows) as f64 / (now.saturating_sub(begun.at)).as_secs_f64();
        Some(line(advance, rate))
    }
}

/// `rate` is in rows a second.
fn line(advance: RunAdvance, rate: f64) -> String {
    let (done, refused) = (advance.totals.rows(), advance.totals.rejected);
    let mut line = HumanCount(done).to_string();
    if let Some(rows) = advance.rows {
        let about = if advance.estimated { "about " } else { "" };
        line.push_str(&format!(" of {about}{}", HumanCount(rows)));
    }
    line.push_str(&format!(" rows, {} rows/s", HumanCount(rate as u64)));
    let left = advance.rows.map(|rows| rows.saturating_sub(done) as f64 / rate);
    if let Some(left) = left.and_then(|left| Duration::try_from_secs_f64(left).ok()) {
        line.push_str(&format!(", {:#} left", HumanDuration(left)));
    }
    if refused > 0 {
        line.push_str(&format!(", {} refused", HumanCount(refused)));
    }
    line
}

#[cfg(test)]
mod tests {
    use ingest::mass::RunTotals;

    use super::*;

    fn advance(sent: u64, rejected: u64, rows: Option<u64>, estimated: bool) -> RunAdvance {
        RunAdvance { totals: RunTotals { sent, hidden: 0, rejected }, rows, estimated }
    }

    #[test]
    fn a_log_has_a_line_every_ten_seconds() {
        let mut lines = ProgressLines::default();
        let mut next =
            |second, sent| lines.next(Duration::from_secs(second), advance(sent, 0, Some(2_000_000), false));
        // A run that goes on: what was done before says nothing of how quick this one is.
        assert_eq!(next(100, 1_000_000), None);
        assert_eq!(next(109, 1_090_000), None);
        let tenth = "1,100,000 of 2,000,000 rows, 10,000 rows/s, 2m left";
        assert_eq!(next(110, 1_100_000).as_deref(), Some(tenth));
        assert_eq!(next(119, 1_190_000), None);
        // A target that kept it waiting.
        let late = "1,200,000 of 2,000,000 rows, 5,000 rows/s, 3m left";
        assert_eq!(next(140, 1_200_000).as_deref(), Some(late));
        assert_eq!(next(149, 1_210_000), None);
    }

    #[test]
    fn lines_say_what_is_known() {
        let check = |advance, rate, expected: &str| assert_eq!(line(advance, rate), expected);
        check(advance(1000, 0, None, false), 50.0, "1,000 rows, 50 rows/s");
        check(
            advance(990, 10, Some(4000), true),
            50.0,
            "1,000 of about 4,000 rows, 50 rows/s, 60s left, 10 refused",
        );
        check(advance(1000, 0, Some(4000), false), 0.0, "1,000 of 4,000 rows, 0 rows/s");
        check(advance(4000, 0, Some(4000), false), 0.0, "4,000 of 4,000 rows, 0 rows/s");
    }
}
