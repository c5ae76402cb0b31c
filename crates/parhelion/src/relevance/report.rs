//! What a relevance test says: the means, gates and the comparison with a baseline, as tables for eyes or
//! JSON for programs. In: scores that the lab computed, of now and perhaps of a baseline; out: lines, and
//! whether a gate was missed, by which `mod.rs` chooses the exit code.

use lab::relevance::{Comparison, Gate, Measure, Scores};
use serde_json::{Map, Value, json};

use crate::output;

pub struct Report<'a> {
    pub scores: &'a Scores,
    pub before: Option<&'a Scores>,
    /// As many as there are measures, or none.
    pub comparisons: &'a [Comparison],
    pub gates: &'a [Gate],
}

impl Report<'_> {
    pub fn print(&self, per_query: bool) {
        if per_query {
            self.print_queries();
        }
        self.print_means();
        let Scores { by_query, unanswered, unjudged, .. } = self.scores;
        output::line(&format!("means of {} judged queries", by_query.len()));
        for (queries, what) in
            [(unanswered, "without an answer, counted as 0"), (unjudged, "without judgments, not counted")]
        {
            if !queries.is_empty() {
                output::line(&format!("{} {what}: {}", queries.len(), shortened(queries)));
            }
        }
    }

    fn print_means(&self) {
        let mut table = output::table();
        let mut header = vec!["measure", "mean"];
        header.extend(self.before.map(|_| ["before", "won", "lost"]).into_iter().flatten());
        header.extend((!self.gates.is_empty()).then_some("gate"));
        table.set_header(header);
        for (at, (measure, mean)) in self.scores.measures.iter().zip(&self.scores.means).enumerate() {
            let mut row = vec![measure.to_string(), shown(*mean)];
            if let Some(comparison) = self.comparisons.get(at) {
                row.push(shown(comparison.mean_before));
                row.extend([&comparison.won, &comparison.lost].map(|queries| queries.len().to_string()));
            }
            row.push(self.gate_cell(*measure, *mean));
            table.add_row(row);
        }
        output::line(&table.to_string());
    }

    fn gate_cell(&self, measure: Measure, mean: f64) -> String {
        let gates = self.gates.iter().filter(|gate| gate.measure == measure);
        let cell = |gate: &Gate| {
            format!(">={} {}", gate.at_least, if gate.passes(mean) { "passed" } else { "MISSED" })
        };
        gates.map(cell).collect::<Vec<_>>().join(", ")
    }

    fn print_queries(&self) {
        let mut table = output::table();
        let names = self.scores.measures.iter().map(Measure::to_string);
        table.set_header(["query".to_owned()].into_iter().chain(names));
        for (query, values) in &self.scores.by_query {
            let before = self.before.and_then(|before| before.by_query.get(query));
            let cell = |(at, value): (usize, &f64)| match before.and_then(|before| before.get(at)) {
                Some(before) if (value - before).abs() > 1e-9 => {
                    format!("{} ({:+.4})", shown(*value), value - before)
                }
                _ => shown(*value),
            };
            table.add_row([query.clone()].into_iter().chain(values.iter().enumerate().map(cell)));
        }
        output::line(&table.to_string());
    }

    pub fn json(&self) -> Value {
        let Scores { measures, by_query, means, unanswered, unjudged } = self.scores;
        let named = |values: &[f64]| -> Value {
            measures
                .iter()
                .zip(values)
                .map(|(measure, value)| (measure.to_string(), json!(value)))
                .collect::<Map<_, _>>()
                .into()
        };
        let queries: Map<_, _> =
            by_query.iter().map(|(query, values)| (query.clone(), named(values))).collect();
        let gates = self.gates.iter().map(|gate| {
            let mean = self.mean(gate.measure);
            json!({"measure": gate.measure.to_string(), "at_least": gate.at_least, "mean": mean, "passed": gate.passes(mean)})
        });
        let baseline = self.comparisons.iter().map(|comparison| {
            let Comparison { measure, mean_before, won, lost } = comparison;
            (measure.to_string(), json!({"mean": mean_before, "won": won, "lost": lost}))
        });
        json!({
            "means": named(means),
            "queries": queries,
            "unanswered": unanswered,
            "unjudged": unjudged,
            "gates": gates.collect::<Vec<_>>(),
            "baseline": self.before.map(|_| baseline.collect::<Map<_, _>>()),
        })
    }

    fn mean(&self, measure: Measure) -> f64 {
        let means = self.scores.measures.iter().zip(&self.scores.means);
        means.into_iter().find(|(known, _)| **known == measure).map_or(0.0, |(_, mean)| *mean)
    }

    /// What is wrong with each gate that was missed.
    pub fn missed(&self) -> Vec<String> {
        let missed = self.gates.iter().filter(|gate| !gate.passes(self.mean(gate.measure)));
        let told = |gate: &Gate| {
            format!(
                "{} is {}, below the gate {}",
                gate.measure,
                shown(self.mean(gate.measure)),
                gate.at_least
            )
        };
        missed.map(told).collect()
    }
}

fn shown(value: f64) -> String {
    format!("{value:.4}")
}

/// The first few of a list.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown}, …") } else { shown }
}
