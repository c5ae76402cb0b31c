//! Stretches of time against a plain list of the intervals of each document: one value or several, which
//! overlap, touch, lie in each other or are open; all relations; alone and after a clause that leaves few
//! documents; and as buckets of a facet ask for them.

use std::ops::Bound;
use std::sync::Arc;

use plan::{Clause, DateRangeQuery, DateSpan, Occur, Query, Range, Relation, Value};
use proptest::prelude::*;

use super::build::{plan, search};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

/// Dates within a few days, so that many of them are the same, touch or overlap.
fn date() -> impl Strategy<Value = String> {
    let day = || (27u32..=29).prop_map(|day| format!("2014-02-{day:02}"));
    prop_oneof![
        Just("2014".to_owned()),
        prop_oneof![Just("2014-02"), Just("2014-03"), Just("-0044")].prop_map(str::to_owned),
        day(),
        (day(), 22u32..=24).prop_map(|(day, hour)| format!("{day}T{hour}")),
        (day(), 58u32..=59).prop_map(|(day, minute)| format!("{day}T23:{minute}")),
        (day(), 998u32..=999).prop_map(|(day, milli)| format!("{day}T23:59:59.{milli}")),
        day().prop_map(|day| format!("{day}T00:00:00Z")),
    ]
}

/// A date or a range, with open ends or without; those in the wrong order are turned round.
fn span() -> impl Strategy<Value = String> {
    let end = || prop_oneof![5 => date(), 1 => Just("*".to_owned())];
    prop_oneof![
        date(),
        (end(), end()).prop_map(|(from, to)| {
            let range = format!("[{from} TO {to}]");
            if DateSpan::parse(&range).is_ok() { range } else { format!("[{to} TO {from}]") }
        }),
    ]
}

/// Whether the relation holds, by looking at the intervals one by one.
fn naive(relation: Relation, document: &[DateSpan], asked: DateSpan) -> bool {
    let covers = |ms: i64| document.iter().any(|span| span.begin() <= ms && ms < span.end());
    match relation {
        Relation::Intersects => {
            document.iter().any(|span| span.begin() < asked.end() && asked.begin() < span.end())
        }
        Relation::Within => {
            let inside = |span: &DateSpan| asked.begin() <= span.begin() && span.end() <= asked.end();
            !document.is_empty() && document.iter().all(inside)
        }
        // A gap could begin only where what is asked begins, or where an interval ends within it.
        Relation::Contains => {
            let ends = document.iter().map(DateSpan::end);
            let inside = ends.filter(|end| asked.begin() <= *end && *end < asked.end());
            covers(asked.begin()) && inside.into_iter().all(covers)
        }
    }
}

fn ids(snapshot: &Snapshot, query: Query) -> Vec<usize> {
    let mut plan = plan(query);
    plan.page.rows = 1000;
    let result = search(snapshot, &plan, &SearchCaches::default()).unwrap();
    let mut ids: Vec<usize> = result.hits.iter().map(|hit| hit.id.parse().unwrap()).collect();
    ids.sort_unstable();
    ids
}

fn indexed(documents: &[Vec<String>]) -> Snapshot {
    let document = |(number, values): (usize, &Vec<String>)| {
        let mut fields = vec![("id", vec![text(&number.to_string())])];
        if !values.is_empty() {
            fields.push(("at_drs", values.iter().map(|value| text(value)).collect()));
        }
        // Which few of them another clause leaves.
        if number % 5 == 0 {
            fields.push(("few_s", vec![text("yes")]));
        }
        document(&fields)
    };
    let all: Vec<_> = documents.iter().enumerate().map(document).collect();
    let (first, second) = all.split_at(all.len() / 3);
    snapshot(&Arc::new(schema()), &[first.to_vec(), second.to_vec()])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_are_found_as_their_intervals_lie(
        documents in prop::collection::vec(prop::collection::vec(span(), 0..4), 3..24),
        asked in prop::collection::vec(span(), 1..6),
    ) {
        let snapshot = indexed(&documents);
        let parse = |text: &String| DateSpan::parse(text).unwrap();
        let spans: Vec<Vec<DateSpan>> = documents.iter().map(|it| it.iter().map(parse).collect()).collect();
        for text in &asked {
            let span = parse(text);
            for relation in [Relation::Intersects, Relation::Within, Relation::Contains] {
                let expected: Vec<usize> =
                    (0..spans.len()).filter(|at| naive(relation, &spans[*at], span)).collect();
                let query = Query::DateRange(DateRangeQuery { field: "at_drs".into(), relation, span });
                prop_assert_eq!(ids(&snapshot, query.clone()), expected.clone(), "{:?} {}", relation, text);
                let few = Query::Term { field: "few_s".into(), value: Value::Str("yes".into()) };
                let clauses = [few, query].map(|query| Clause { occur: Occur::Must, query }).to_vec();
                let both = Query::Boolean { clauses, minimum_should_match: 0 };
                let few: Vec<usize> = expected.into_iter().filter(|at| at % 5 == 0).collect();
                prop_assert_eq!(ids(&snapshot, both), few, "{:?} {} among few", relation, text);
            }
            let bound = |ms: i64, open: i64, bound: fn(Value) -> Bound<Value>| match ms == open {
                true => Bound::Unbounded,
                false => bound(Value::Date(ms)),
            };
            let lower = bound(span.begin(), i64::MIN, Bound::Included);
            let upper = bound(span.end(), i64::MAX, Bound::Excluded);
            let expected: Vec<usize> =
                (0..spans.len()).filter(|at| naive(Relation::Intersects, &spans[*at], span)).collect();
            let range = Query::Range(Range { field: "at_drs".into(), lower, upper });
            prop_assert_eq!(ids(&snapshot, range), expected, "bucket of {}", text);
        }
    }
}
