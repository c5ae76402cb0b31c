//! What a query log comes to, query by query. A query is what was asked of a collection: handler, `q` with
//! its spaces evened out, and filters, whatever page, sort or facets were asked for with it. In: lines; out:
//! rows in order. Only answers with status 200 have times and hits that say something of a query.

use std::collections::HashMap;

use serde::Serialize;

use crate::query_log::{QueryLine, SearchLine};

/// All queries of a log.
#[derive(Clone, Default)]
pub struct QueryTally {
    queries: HashMap<QueryKey, QueryFigures>,
    dropped: u64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct QueryKey {
    collection: String,
    handler: String,
    q: Option<String>,
    fq: Vec<String>,
}

#[derive(Clone, Default)]
struct QueryFigures {
    zero_hits: u64,
    /// One for each search.
    elapsed_ms: Vec<f64>,
    /// When it was asked last.
    last: String,
}

/// A query and its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryRow {
    pub collection: String,
    pub handler: String,
    pub q: Option<String>,
    pub fq: Vec<String>,
    pub count: u64,
    pub zero_hits: u64,
    pub total_ms: f64,
    pub mean_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
    pub last: String,
}

impl QueryTally {
    /// Counts a line if it is a search of `collection`, or of any where that is none.
    pub fn add(&mut self, line: QueryLine, collection: Option<&str>) {
        let search = match line {
            QueryLine::Search(search) => search,
            QueryLine::Dropped(dropped) => {
                self.dropped = self.dropped.saturating_add(dropped.dropped);
                return;
            }
        };
        let is_meant = |wanted: &str| search.collection.split(',').any(|name| name == wanted);
        if search.status != 200 || !collection.is_none_or(is_meant) {
            return;
        }
        let SearchLine { time, collection, handler, mut params, hits, elapsed_ms, .. } = search;
        let q = params.get("q").and_then(|values| values.first()).map(|q| even_spaces(q));
        let fq = params.remove("fq").unwrap_or_default();
        let figures = self.queries.entry(QueryKey { collection, handler, q, fq }).or_default();
        figures.zero_hits += u64::from(hits == Some(0));
        figures.elapsed_ms.push(elapsed_ms);
        if time > figures.last {
            figures.last = time;
        }
    }

    /// Searches that never became lines, of whichever collection.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Those asked most often.
    pub fn top(self, limit: usize) -> Vec<QueryRow> {
        self.rows_by(limit, |row| row.count as f64)
    }

    /// Those that found nothing most often.
    pub fn zero(self, limit: usize) -> Vec<QueryRow> {
        let mut rows = self.rows_by(usize::MAX, |row| row.zero_hits as f64);
        rows.retain(|row| row.zero_hits > 0);
        rows.truncate(limit);
        rows
    }

    /// Those that took most time together.
    pub fn longest(self, limit: usize) -> Vec<QueryRow> {
        self.rows_by(limit, |row| row.total_ms)
    }

    /// Those whose searches take longest.
    pub fn slowest(self, limit: usize) -> Vec<QueryRow> {
        self.rows_by(limit, |row| row.p99_ms)
    }

    /// The highest first; equal ones by name, so that they stand the same each time.
    fn rows_by(self, limit: usize, figure: impl Fn(&QueryRow) -> f64) -> Vec<QueryRow> {
        let mut rows: Vec<QueryRow> = self.queries.into_iter().map(QueryRow::from).collect();
        rows.sort_by(|one, other| {
            let by_figure = figure(other).total_cmp(&figure(one));
            by_figure.then_with(|| one.identity().cmp(&other.identity()))
        });
        rows.truncate(limit);
        rows
    }
}

impl From<(QueryKey, QueryFigures)> for QueryRow {
    fn from((key, figures): (QueryKey, QueryFigures)) -> Self {
        let QueryKey { collection, handler, q, fq } = key;
        let QueryFigures { zero_hits, mut elapsed_ms, last } = figures;
        elapsed_ms.sort_unstable_by(f64::total_cmp);
        let total_ms: f64 = elapsed_ms.iter().sum();
        let count = elapsed_ms.len();
        // Of the nearest rank: a search that was.
        let p99_at = (count * 99).div_ceil(100).saturating_sub(1);
        Self {
            collection,
            handler,
            q,
            fq,
            count: count as u64,
            zero_hits,
            total_ms: to_microseconds(total_ms),
            mean_ms: to_microseconds(total_ms / count.max(1) as f64),
            p99_ms: elapsed_ms.get(p99_at).copied().unwrap_or_default(),
            max_ms: elapsed_ms.last().copied().unwrap_or_default(),
            last,
        }
    }
}

impl QueryRow {
    fn identity(&self) -> (&str, &str, Option<&str>, &[String]) {
        (&self.collection, &self.handler, self.q.as_deref(), &self.fq)
    }

    /// The query with its filters, for eyes.
    pub fn shown_query(&self) -> String {
        let without = format!("({} without q)", self.handler);
        let mut shown = self.q.clone().unwrap_or(without);
        self.fq.iter().for_each(|filter| shown.extend(["  fq=", filter]));
        shown
    }
}

fn even_spaces(q: &str) -> String {
    q.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn to_microseconds(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Collection, `q`, filter, hits, milliseconds.
    fn tally(searches: &[(&str, &str, &str, u64, f64)], collection: Option<&str>) -> QueryTally {
        let mut tally = QueryTally::default();
        for (at, (name, q, fq, hits, elapsed_ms)) in searches.iter().enumerate() {
            let line = json!({
                "time": format!("2026-11-21T10:00:{at:02}.000Z"), "collection": name, "handler": "/select",
                "params": {"q": [q], "fq": [fq], "rows": [at.to_string()]},
                "status": 200, "hits": hits, "elapsed_ms": elapsed_ms,
            });
            tally.add(serde_json::from_value(line).unwrap(), collection);
        }
        tally
    }

    fn queries(rows: &[QueryRow]) -> Vec<(&str, u64)> {
        rows.iter().map(|row| (row.q.as_deref().unwrap_or_default(), row.count)).collect()
    }

    const SEARCHES: &[(&str, &str, &str, u64, f64)] = &[
        ("films", "a  b", "x", 1, 1.0),
        ("films", "a b ", "x", 0, 2.0),
        ("films", "a b", "y", 0, 50.0),
        ("books", "c", "x", 3, 4.0),
        ("books,films", "c", "x", 3, 9.0),
    ];

    #[test]
    fn a_query_is_told_by_its_words_and_filters() {
        let rows = tally(SEARCHES, None).top(10);
        assert_eq!(queries(&rows), [("a b", 2), ("c", 1), ("c", 1), ("a b", 1)]);
        let expected = QueryRow {
            collection: "films".to_owned(),
            handler: "/select".to_owned(),
            q: Some("a b".to_owned()),
            fq: vec!["x".to_owned()],
            count: 2,
            zero_hits: 1,
            total_ms: 3.0,
            mean_ms: 1.5,
            p99_ms: 2.0,
            max_ms: 2.0,
            last: "2026-11-21T10:00:01.000Z".to_owned(),
        };
        assert_eq!(rows[0], expected);
        assert_eq!(queries(&tally(SEARCHES, None).top(1)), [("a b", 2)]);
    }

    #[test]
    fn rows_are_in_the_order_asked_for() {
        assert_eq!(queries(&tally(SEARCHES, None).zero(10)), [("a b", 2), ("a b", 1)]);
        assert_eq!(queries(&tally(SEARCHES, None).longest(3)), [("a b", 1), ("c", 1), ("c", 1)]);
        assert_eq!(queries(&tally(SEARCHES, None).slowest(1)), [("a b", 1)]);
        assert_eq!(queries(&tally(SEARCHES, Some("books")).top(10)), [("c", 1), ("c", 1)]);
    }

    #[test]
    fn the_percentile_is_a_search_that_was() {
        let searches: Vec<_> = (1..=200).map(|ms| ("films", "a", "x", 1, f64::from(ms))).collect();
        let rows = tally(&searches, None).slowest(1);
        assert_eq!((rows[0].p99_ms, rows[0].max_ms), (198.0, 200.0));
    }

    #[test]
    fn failed_searches_are_no_queries_and_drops_are_counted() {
        let mut tally = QueryTally::default();
        let failed = json!({"time": "t", "collection": "a", "handler": "/select", "params": {}, "status": 400, "elapsed_ms": 1});
        tally.add(serde_json::from_value(failed).unwrap(), None);
        tally.add(QueryLine::dropped(0, 3), None);
        assert_eq!(tally.dropped(), 3);
        assert!(tally.top(10).is_empty());
    }
}
