//! Measures over all queries of the judgments, their means, and two runs side by side. A query that is judged
//! but was not answered counts as 0; one that was answered but not judged does not count. As `trec_eval -c`
//! does it: a query that a change no longer answers must lower the mean. What a measure computes for one
//! query is `measure.rs`'s.

use std::collections::BTreeMap;

use super::{Judgments, Measure, Run};

/// How a run does. Values stand in the order of `measures`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    pub measures: Vec<Measure>,
    pub by_query: BTreeMap<String, Vec<f64>>,
    pub means: Vec<f64>,
    /// Judged queries without an answer.
    pub unanswered: Vec<String>,
    /// Answers to queries that nobody judged.
    pub unjudged: Vec<String>,
}

/// What became better or worse in one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub measure: Measure,
    pub mean_before: f64,
    pub won: Vec<String>,
    pub lost: Vec<String>,
}

pub fn score(judgments: &Judgments, run: &Run, measures: &[Measure]) -> Scores {
    let nothing = Vec::new();
    let mut by_query = BTreeMap::new();
    for (query, grades) in &judgments.by_query {
        let found = run.by_query.get(query).unwrap_or(&nothing);
        by_query.insert(
            query.clone(),
            measures.iter().map(|measure| measure.of(grades, found)).collect::<Vec<_>>(),
        );
    }
    let count = by_query.len().max(1) as f64;
    let sum = |at: usize| by_query.values().filter_map(|values| values.get(at)).sum::<f64>();
    let means = (0..measures.len()).map(|at| sum(at) / count).collect();
    let is_answered = |query: &&String| run.by_query.get(*query).is_some_and(|found| !found.is_empty());
    Scores {
        measures: measures.to_vec(),
        means,
        unanswered: by_query.keys().filter(|query| !is_answered(query)).cloned().collect(),
        unjudged: run.by_query.keys().filter(|query| !by_query.contains_key(*query)).cloned().collect(),
        by_query,
    }
}

/// `now` beside `before`, both of the same judgments and measures.
pub fn compare(now: &Scores, before: &Scores) -> Vec<Comparison> {
    /// Sums of the same numbers in another order differ by less.
    const SAME: f64 = 1e-9;
    let comparison = |(at, measure): (usize, &Measure)| {
        let difference = |query: &&String| {
            let value =
                |scores: &Scores| scores.by_query.get(*query).and_then(|values| values.get(at)).copied();
            value(now).unwrap_or(0.0) - value(before).unwrap_or(0.0)
        };
        Comparison {
            measure: *measure,
            mean_before: before.means.get(at).copied().unwrap_or(0.0),
            won: now.by_query.keys().filter(|query| difference(query) > SAME).cloned().collect(),
            lost: now.by_query.keys().filter(|query| difference(query) < -SAME).cloned().collect(),
        }
    };
    now.measures.iter().enumerate().map(comparison).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{parse_judgments, parse_run};
    use super::*;

    #[test]
    fn queries_without_answers_count_as_nothing() {
        let judgments = parse_judgments("a 0 x 1\nb 0 y 1\nc 0 z 0").unwrap();
        let run = parse_run("a Q0 x 1 1 t\nq Q0 x 1 1 t\nc Q0 z 1 1 t").unwrap();
        let scores = score(&judgments, &run, &["RR".parse().unwrap()]);
        assert_eq!(scores.means, [1.0 / 3.0]);
        assert_eq!(
            (scores.unanswered.clone(), scores.unjudged.clone()),
            (vec!["b".to_owned()], vec!["q".to_owned()])
        );
        let better = parse_run("b Q0 y 1 1 t\nc Q0 z 1 1 t").unwrap();
        let compared = compare(&score(&judgments, &better, &scores.measures), &scores);
        assert_eq!((&compared[0].won, &compared[0].lost), (&vec!["b".to_owned()], &vec!["a".to_owned()]));
    }
}
