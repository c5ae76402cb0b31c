//! What a run found: one result a step, a table by area, and readable differences. Owns the wording of the
//! report; prints nothing. In: outcomes of steps and the list of known failures (`open.rs`); out: text, and
//! whether the run passed. Whoever ran it prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::open::Open;
use super::outcome::{Difference, Outcome};
use super::scenario::Step;

/// One step's outcome and where it stands.
#[derive(Clone, Debug)]
pub struct StepResult {
    file: String,
    index: usize,
    title: String,
    outcome: Outcome,
}

impl StepResult {
    pub fn new(file: &str, index: usize, step: &Step, outcome: Outcome) -> Self {
        Self { file: file.to_owned(), index, title: step.title(), outcome }
    }

    fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_) | Outcome::Stale | Outcome::Unasked(_))
    }
}

/// All results of a run, in order, and which failures are known.
pub struct Summary {
    results: Vec<StepResult>,
    open: Open,
}

#[derive(Default)]
struct Counts {
    passed: usize,
    kept: usize,
    open: usize,
    failed: usize,
}

impl Summary {
    pub fn new(open: Open) -> Self {
        Self { results: Vec::new(), open }
    }

    pub fn extend(&mut self, results: Vec<StepResult>) {
        self.results.extend(results);
    }

    /// True when no step failed that is not listed as open, and there was a step at all.
    pub fn passed(&self) -> bool {
        !self.results.is_empty() && !self.results.iter().any(|result| self.fails(result))
    }

    /// Lists what fails as open and what passes as not, for the scenarios that ran.
    pub fn accept(&mut self) -> &Open {
        let mut failing: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for result in &self.results {
            let steps = failing.entry(result.file.clone()).or_default();
            steps.extend(result.failed().then_some(result.index + 1));
        }
        for (scenario, steps) in failing {
            self.open.replace(&scenario, steps);
        }
        &self.open
    }

    fn listed(&self, result: &StepResult) -> bool {
        self.open.contains(&result.file, result.index + 1)
    }

    fn fails(&self, result: &StepResult) -> bool {
        result.failed() && !self.listed(result)
    }

    /// Failures first, each with its differences (the first five unless `verbose`, which also shows the open
    /// ones), then the table.
    pub fn render(&self, verbose: bool) -> String {
        let mut out = String::new();
        for result in self.results.iter().filter(|result| self.fails(result) || verbose && result.failed()) {
            render_failure(&mut out, result, if verbose { usize::MAX } else { 5 });
        }
        self.render_table(&mut out);
        out
    }

    fn render_table(&self, out: &mut String) {
        let mut areas: BTreeMap<&str, Counts> = BTreeMap::new();
        for result in &self.results {
            count(areas.entry(&result.file).or_default(), result, self.listed(result));
            count(areas.entry("~ total").or_default(), result, self.listed(result));
        }
        let _ =
            writeln!(out, "{:<32} {:>7} {:>5} {:>5} {:>7}", "scenario", "passed", "kept", "open", "failed");
        for (area, counts) in areas {
            let Counts { passed, kept, open, failed } = counts;
            let _ = writeln!(
                out,
                "{:<32} {passed:>7} {kept:>5} {open:>5} {failed:>7}",
                area.trim_start_matches("~ ")
            );
        }
        let mut total = Counts::default();
        self.results.iter().for_each(|result| count(&mut total, result, self.listed(result)));
        let Counts { passed, kept, open, failed } = total;
        // The form that tools which watch test runs read; an open step is known and listed, so it counts as
        // skipped.
        let _ = writeln!(out, "compat: {} passed, {failed} failed, {open} skipped", passed + kept);
        let closed = self.results.iter().filter(|result| self.listed(result) && !result.failed()).count();
        if closed > 0 {
            let _ = writeln!(out, "{closed} listed as open pass now; --accept takes them off the list");
        }
    }
}

fn count(counts: &mut Counts, result: &StepResult, listed: bool) {
    match &result.outcome {
        Outcome::Passed | Outcome::Recorded => counts.passed += 1,
        Outcome::Kept => counts.kept += 1,
        _ if listed => counts.open += 1,
        Outcome::Failed(_) | Outcome::Stale | Outcome::Unasked(_) => counts.failed += 1,
    }
}

fn render_failure(out: &mut String, result: &StepResult, shown: usize) {
    let _ = writeln!(out, "\n{} step {}: {}", result.file, result.index + 1, result.title);
    match &result.outcome {
        Outcome::Failed(differences) => {
            for Difference { path, expected, actual } in differences.iter().take(shown) {
                let _ = writeln!(
                    out,
                    "  {path}\n    solr {}\n    ours {}",
                    side(expected.as_ref()),
                    side(actual.as_ref())
                );
            }
            if differences.len() > shown {
                let _ = writeln!(out, "  and {} more; --verbose shows them", differences.len() - shown);
            }
        }
        Outcome::Unasked(reason) => {
            let _ = writeln!(out, "  not asked: {}", reason.replace('\n', " "));
        }
        _ => {
            let _ =
                writeln!(out, "  the question has changed since its answer was recorded; run with --record");
        }
    }
}

fn side(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "(absent)".to_owned(), Value::to_string);
    let short: String = text.chars().take(600).collect();
    if short.len() < text.len() { format!("{short}...") } else { short }
}
