//! Hits, order and scores as Solr 9.10.1 gave them. `documents.json` was indexed into a core in three commits
//! (documents 0-19, 20-44, 45-59); each line of `recorded.txt` is a query as sent and the answer. Here the
//! same query is built as a plan.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use plan::{Document, Fuzzy, Occur, Query, Schema, SearchPlan, SortBy, SortKey, Value};

use super::build::{
    all, any, at_least, boolean, boost, by, filter, phrase, plan, range, search, term, value,
};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{snapshot, source};

const SEGMENTS: [std::ops::Range<usize>; 3] = [0..20, 20..45, 45..60];

pub(super) fn documents() -> Vec<Document> {
    let parsed: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(include_str!("documents.json")).unwrap();
    parsed
        .iter()
        .map(|fields| Document { fields: fields.iter().map(|(name, json)| field(name, json)).collect() })
        .collect()
}

fn field(name: &str, json: &serde_json::Value) -> (Arc<str>, Vec<Value>) {
    let text = || json.as_str().unwrap().to_owned();
    let values = match name.rsplit('_').next().unwrap() {
        "i" => vec![Value::Int(json.as_i64().unwrap() as i32)],
        "d" => vec![Value::Double(json.as_f64().unwrap())],
        "b" => vec![Value::Bool(json.as_bool().unwrap())],
        "dt" => vec![date(&text())],
        "ss" => json.as_array().unwrap().iter().map(|one| Value::Str(one.as_str().unwrap().into())).collect(),
        _ => vec![Value::Str(text())],
    };
    (name.into(), values)
}

fn date(text: &str) -> Value {
    Value::Date(plan::parse_instant(text).unwrap())
}

pub(super) fn recorded_snapshot() -> Snapshot {
    let documents = documents();
    let batches = SEGMENTS.map(|range| documents[range].to_vec());
    snapshot(&Arc::new(recorded_schema()), &batches)
}

/// As in Solr's own configsets, strings and booleans sort last where they are missing.
fn recorded_schema() -> Schema {
    let mut source = source();
    for kind in source.types.iter_mut().filter(|kind| matches!(kind.name.as_str(), "string" | "boolean")) {
        kind.attributes.push(("sortMissingLast".into(), "true".into()));
    }
    Schema::build(source).unwrap()
}

fn text(name: &str) -> Value {
    Value::Str(name.into())
}

fn should<const N: usize>(words: [&str; N]) -> [Query; N] {
    words.map(|word| term("a_t", word))
}

fn fuzzy(word: &str, edits_max: u8, prefix_length: usize) -> Query {
    Query::Fuzzy(Fuzzy { prefix_length, ..Fuzzy::new("a_t".into(), word.into(), edits_max) })
}

fn dismax(tie_breaker: f32, queries: Vec<Query>) -> Query {
    Query::DisjunctionMax { queries, tie_breaker }
}

fn sorted(query: Query, sort: Vec<SortKey>) -> SearchPlan {
    SearchPlan { sort, ..plan(query) }
}

fn query_of(name: &str) -> Query {
    use Occur::{Filter, Must, MustNot, Should};
    match name {
        "term" => term("a_t", "gamma"),
        "term_frequent" => term("a_t", "alpha"),
        "term_boost" => boost(2.5, term("a_t", "beta")),
        "or" => any(should(["alpha", "delta"])),
        "or3" => any(should(["beta", "gamma", "iota", "nothere"])),
        "and" => all(should(["alpha", "beta"])),
        "must_should" => boolean([
            (Must, term("a_t", "alpha")),
            (Should, term("a_t", "eta")),
            (Should, term("b_t", "beta")),
        ]),
        "not" => boolean([(Should, term("a_t", "alpha")), (MustNot, term("b_t", "beta"))]),
        "nested" => all([
            boost(2.0, any([term("a_t", "gamma"), term("b_t", "gamma")])),
            any([
                term("a_t", "alpha"),
                boolean([(Must, term("b_t", "alpha")), (MustNot, term("b_t", "eta"))]),
            ]),
        ]),
        "filter_clause" => all_and_filter(),
        "phrase" => phrase("a_t", "alpha beta", 0),
        "phrase3" => phrase("a_t", "alpha alpha beta", 0),
        "slop1" => phrase("a_t", "beta delta", 1),
        "slop3" => phrase("a_t", "gamma alpha beta", 3),
        "slop10" => phrase("a_t", "delta alpha", 10),
        "slop_repeat" => phrase("a_t", "alpha alpha", 4),
        "slop_repeat3" => phrase("a_t", "alpha beta alpha", 6),
        "slop_repeat4" => phrase("a_t", "alpha beta beta alpha", 9),
        "phrase_boost" => any([boost(3.0, phrase("a_t", "alpha gamma", 0)), term("b_t", "alpha")]),
        "string" => term("c_s", "red"),
        "strings" => term("e_ss", "blue"),
        "strings_or" => any([term("e_ss", "blue"), term("e_ss", "pink"), term("c_s", "green")]),
        "bool" => value("f_b", Value::Bool(true)),
        "int" => value("n_i", Value::Int(5)),
        "id" => term("id", "d07"),
        "range" => range("n_i", Included(Value::Int(2)), Included(Value::Int(7))),
        "range_open" => range("x_d", Excluded(Value::Double(-2.5)), Unbounded),
        "range_date" => {
            range("t_dt", Included(date("2012-01-01T00:00:00Z")), Excluded(date("2015-12-31T00:00:00Z")))
        }
        "range_string" => range("c_s", Included(text("blue")), Excluded(text("green"))),
        "range_text" => range("b_t", Included(text("alpha")), Included(text("delta"))),
        "range_boost" => any([boost(3.0, query_of("range")), term("a_t", "beta")]),
        "prefix" => Query::Prefix { field: "a_t".into(), prefix: "ka".into() },
        "wildcard" => Query::Wildcard { field: "a_t".into(), pattern: "?e*a".into() },
        "regex" => Query::Regex { field: "a_t".into(), pattern: "[kl]a.*".into() },
        "exists" => Query::Exists { field: "b_t".into() },
        "exists_int" => Query::Exists { field: "n_i".into() },
        "fuzzy1" => fuzzy("kapa", 1, 0),
        "fuzzy2" => fuzzy("beta", 2, 0),
        "fuzzy_short" => fuzzy("xa", 2, 0),
        "fuzzy_clamped" => fuzzy("a", 2, 0),
        "fuzzy_none" => fuzzy("a", 1, 0),
        "or_many" => any(should(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"])),
        "boost_zero" => any([boost(0.0, term("a_t", "gamma")), term("b_t", "beta")]),
        "boost_nested" => boost(
            0.5,
            any([
                boost(3.0, any([boost(2.0, term("a_t", "gamma")), term("b_t", "gamma")])),
                term("c_s", "red"),
            ]),
        ),
        "prefix_strings" => Query::Prefix { field: "e_ss".into(), prefix: "gr".into() },
        "terms_set" => Query::TermSet { field: "c_s".into(), values: vec![text("red"), text("cyan")] },
        "id_range" => range("id", Included(text("d10")), Included(text("d12"))),
        "range_double" => range("x_d", Included(Value::Double(-3.25)), Excluded(Value::Double(0.0))),
        "exists_strings" => Query::Exists { field: "e_ss".into() },
        "phrase_miss" => phrase("a_t", "alpha nothere", 0),
        "and_not_all" => boolean([(Must, term("a_t", "alpha")), (MustNot, Query::All)]),
        "fuzzy_prefix" => fuzzy("kappo", 2, 2),
        "constant" => any([
            Query::ConstantScore { query: Box::new(term("a_t", "gamma")), score: 4.0 },
            term("b_t", "beta"),
        ]),
        "dismax" => dismax(0.3, vec![term("a_t", "alpha"), boost(2.0, term("b_t", "alpha"))]),
        "dismax2" => at_least(
            2,
            ["alpha", "gamma"].map(|word| (Should, dismax(0.0, vec![term("a_t", word), term("b_t", word)]))),
        ),
        "mm" => at_least(2, should(["alpha", "gamma", "delta", "zeta"]).map(|query| (Should, query))),
        "synonym" => synonym(),
        "synonym_or" => any([synonym(), term("a_t", "gamma")]),
        "only_filter" => boolean([(Filter, term("c_s", "red"))]),
        _ => Query::All,
    }
}

fn all_and_filter() -> Query {
    let constant = Query::ConstantScore { query: Box::new(term("c_s", "red")), score: 0.0 };
    boolean([(Occur::Must, constant), (Occur::Should, term("a_t", "gamma"))])
}

fn synonym() -> Query {
    Query::Synonym { field: "a_t".into(), terms: vec![("synb".into(), 1.0), ("syna".into(), 1.0)] }
}

fn plan_of(name: &str) -> SearchPlan {
    let alpha = || term("a_t", "alpha");
    let score = SortKey { by: SortBy::Score, descending: true };
    match name {
        "fq" => {
            let positive = range("n_i", Included(Value::Int(0)), Unbounded);
            SearchPlan { filters: vec![filter(term("c_s", "red")), filter(positive)], ..plan(alpha()) }
        }
        "sort_int" => sorted(Query::All, vec![by("n_i", false)]),
        "sort_int_desc" => sorted(Query::All, vec![by("n_i", true)]),
        "sort_double" => sorted(Query::All, vec![by("x_d", false), by("id", true)]),
        "sort_date" => sorted(Query::All, vec![by("t_dt", true)]),
        "sort_string" => sorted(Query::All, vec![by("c_s", false), by("n_i", true)]),
        "sort_string_desc" => sorted(Query::All, vec![by("c_s", true), by("id", false)]),
        "sort_bool" => sorted(Query::All, vec![by("f_b", true), by("id", false)]),
        "sort_score" => sorted(alpha(), vec![by("c_s", false), score]),
        "sort_docid" => sorted(alpha(), vec![SortKey { by: SortBy::IndexOrder, descending: true }]),
        _ => plan(query_of(name)),
    }
}

/// The difference between two scores as a share of the larger.
fn apart(left: f32, right: f32) -> f32 {
    if left == right { 0.0 } else { (left - right).abs() / left.abs().max(right.abs()) }
}

#[test]
fn hits_order_and_scores_are_solrs() {
    let snapshot = recorded_snapshot();
    let caches = SearchCaches::default();
    let mut wrong = Vec::new();
    for line in include_str!("recorded.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, _, total, hits] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let result = search(&snapshot, &plan_of(name), &caches).unwrap();
        let got: Vec<(String, f32)> =
            result.hits.iter().map(|hit| (hit.id.clone(), hit.score.unwrap())).collect();
        let hit = |text: &str| {
            text.split_once(':').map(|(id, score)| (id.to_owned(), score.parse().unwrap())).unwrap()
        };
        let expected: Vec<(String, f32)> = hits.split_whitespace().map(hit).collect();
        let same = result.total.to_string() == total
            && got.len() == expected.len()
            && got
                .iter()
                .zip(&expected)
                .all(|(got, expected)| got.0 == expected.0 && apart(got.1, expected.1) < 1e-6);
        if !same {
            wrong.push(format!("{name}: {total} {expected:?}\n got {} {got:?}", result.total));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_are_windows_of_one_order() {
    let snapshot = recorded_snapshot();
    let caches = SearchCaches::default();
    for name in
        ["or3", "and", "must_should", "string", "phrase", "dismax", "sort_string", "sort_int_desc", "all"]
    {
        let ids = |start: usize, rows: usize| {
            let mut plan = plan_of(name);
            plan.page = plan::Page { start, rows };
            let result = search(&snapshot, &plan, &caches).unwrap();
            (result.total, result.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>())
        };
        let (total, whole) = ids(0, 100);
        for start in 0..whole.len() + 2 {
            let (page_total, page) = ids(start, 3);
            let expected: Vec<_> = whole.iter().skip(start).take(3).cloned().collect();
            assert_eq!((page_total, page), (total, expected), "{name} from {start}");
        }
        assert_eq!(ids(0, 0), (total, vec![]));
    }
}

/// As Solr prints it: children two spaces in.
fn print(explanation: &plan::Explanation, depth: usize, out: &mut String) {
    let plan::Explanation { value, description, details, .. } = explanation;
    out.push_str(&format!("{}{} = {description}\n", "  ".repeat(depth), value.to_text()));
    details.iter().for_each(|detail| print(detail, depth + 1, out));
}

#[test]
fn explanations_are_solrs() {
    let snapshot = recorded_snapshot();
    let caches = SearchCaches::default();
    let mut wrong = Vec::new();
    for block in include_str!("explained.txt").split("\n> ").skip(1) {
        let (head, expected) = block.split_once('\n').unwrap();
        let (name, _) = head.split_once(' ').unwrap();
        let result = search(&snapshot, &SearchPlan { explain: true, ..plan_of(name) }, &caches).unwrap();
        let mut got = String::new();
        print(result.hits[0].explanation.as_ref().unwrap(), 0, &mut got);
        if got.trim_end() != expected.trim_end() {
            wrong.push(format!("{name}\n{expected}\ngot\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
