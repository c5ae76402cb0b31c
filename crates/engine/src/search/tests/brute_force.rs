//! Random documents in several segments, some deleted, against a model that looks at every document.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use plan::{
    Document, FacetPlan, FacetSort, FieldFacet, FieldSelection, OtherRange, Page, Query, RangeBucket,
    RangeFacet, Schema, SearchPlan, SearchResult, SortBy, SortKey, Value,
};
use proptest::prelude::*;

use super::build::{at_least, boolean, by, filter, plan, range, search, shown, term, value};
use crate::config::CacheSizes;
use crate::search::{SearchCaches, matching_docs};
use crate::snapshot::Snapshot;
use crate::testing::{snapshot, source};

pub(super) const WORDS: [&str; 6] = ["red", "green", "blue", "grey", "rot", "r"];

/// A document of the model.
#[derive(Clone, Debug, Default)]
pub(super) struct Doc {
    words: Vec<usize>,
    color: Option<usize>,
    tags: Vec<usize>,
    number: Option<i32>,
    numbers: Vec<i32>,
    real: Option<i8>,
    flag: Option<bool>,
    /// Goes to the column alone.
    column: Vec<usize>,
    pub(super) deleted: bool,
}

pub(super) fn doc() -> impl Strategy<Value = Doc> {
    let word = 0..WORDS.len();
    (
        prop::collection::vec(word.clone(), 0..8),
        prop::option::of(word.clone()),
        prop::collection::vec(word.clone(), 0..3),
        prop::option::of(-4i32..5),
        prop::collection::vec(-4i32..5, 0..3),
        prop::option::of(-3i8..4),
        prop::option::of(any::<bool>()),
        prop::collection::vec(word, 0..3),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(words, color, tags, number, numbers, real, flag, column, deleted)| Doc {
            words,
            color,
            tags,
            number,
            numbers,
            real,
            flag,
            column,
            deleted,
        })
}

fn text(word: usize) -> Value {
    Value::Str(WORDS[word].into())
}

impl Doc {
    /// With a value in every field, and several where it may have them: columns without gaps are read in
    /// their own way.
    pub(super) fn filled(mut self) -> Self {
        self.color.get_or_insert(0);
        self.number.get_or_insert(2);
        self.real.get_or_insert(1);
        self.flag.get_or_insert(true);
        self.numbers.extend([0, 3]);
        self.tags.extend([1, 2]);
        self.column.push(1);
        self
    }

    pub(super) fn values(&self, field: &str) -> Vec<Value> {
        match field {
            "c_s" => self.color.iter().map(|word| text(*word)).collect(),
            "e_ss" => self.tags.iter().map(|word| text(*word)).collect(),
            "v_dv" => self.column.iter().map(|word| text(*word)).collect(),
            "n_i" => self.number.iter().map(|number| Value::Int(*number)).collect(),
            "m_is" => self.numbers.iter().map(|number| Value::Int(*number)).collect(),
            "x_d" => self.real.iter().map(|real| Value::Double(f64::from(*real) / 2.0)).collect(),
            "f_b" => self.flag.iter().map(|flag| Value::Bool(*flag)).collect(),
            "none_s" => Vec::new(),
            _ => self.words.iter().map(|word| text(*word)).collect(),
        }
    }

    fn document(&self, id: usize) -> Document {
        let mut fields = vec![(Arc::from("id"), vec![Value::Str(format!("{id:03}"))])];
        let words: Vec<&str> = self.words.iter().map(|word| WORDS[*word]).collect();
        if !words.is_empty() {
            fields.push((Arc::from("a_t"), vec![Value::Str(words.join(" "))]));
        }
        for field in ["c_s", "e_ss", "v_dv", "n_i", "m_is", "x_d", "f_b"] {
            let values = self.values(field);
            if !values.is_empty() {
                fields.push((Arc::from(field), values));
            }
        }
        Document { fields }
    }
}

pub(super) fn shard(docs: &[Doc]) -> Snapshot {
    numbered_shard(&docs.iter().enumerate().collect::<Vec<_>>())
}

/// Of documents whose ids are these numbers.
pub(super) fn numbered_shard(docs: &[(usize, &Doc)]) -> Snapshot {
    let batches: Vec<Vec<Document>> = docs
        .chunks(docs.len().div_ceil(3).max(1))
        .map(|chunk| chunk.iter().map(|(id, doc)| doc.document(*id)).collect())
        .collect();
    let mut source = source();
    let text = source.types.iter_mut().filter(|kind| kind.name == "text");
    text.for_each(|kind| kind.attributes.push(("uninvertible".into(), "true".into())));
    let all = snapshot(&Arc::new(Schema::build(source).unwrap()), &batches);
    let mut alive = docs.iter();
    let marked: Vec<_> = all
        .segments()
        .iter()
        .map(|view| {
            for doc in 0..view.reader().max_doc() {
                if alive.next().is_some_and(|(_, model)| model.deleted) {
                    view.segment.marks.mark(doc);
                }
            }
            (view.segment.clone(), view.segment.marks.current())
        })
        .collect();
    Snapshot::build(Some(&all), all.layout().clone(), &marked).unwrap()
}

pub(super) fn compare(left: &Value, right: &Value) -> std::cmp::Ordering {
    crate::indexing::prepare::compare(left, right)
}

pub(super) fn matches(query: &Query, doc: &Doc) -> bool {
    use plan::Occur::{Filter, Must, MustNot, Should};
    let any = |field: &str, test: &dyn Fn(&Value) -> bool| doc.values(field).iter().any(test);
    let string = |value: &Value, test: &dyn Fn(&str) -> bool| value.as_str().is_some_and(test);
    match query {
        Query::All => true,
        Query::Term { field, value } => any(field, &|own| own == value),
        Query::TermSet { field, values } => any(field, &|own| values.contains(own)),
        Query::Exists { field } => any(field, &|_| true),
        Query::Prefix { field, prefix } => {
            any(field, &|own| string(own, &|text| text.starts_with(prefix.as_str())))
        }
        // The only patterns made here: a letter, then a run.
        Query::Wildcard { field, pattern } => {
            let (first, last) = pattern.split_once('*').unwrap();
            any(field, &|own| {
                string(own, &|text| {
                    text.len() >= pattern.len() - 1 && text.starts_with(first) && text.ends_with(last)
                })
            })
        }
        Query::Range(range) => any(&range.field, &|own| {
            let above = match &range.lower {
                Bound::Included(lower) => compare(lower, own).is_le(),
                Bound::Excluded(lower) => compare(lower, own).is_lt(),
                Bound::Unbounded => true,
            };
            above
                && match &range.upper {
                    Bound::Included(upper) => compare(own, upper).is_le(),
                    Bound::Excluded(upper) => compare(own, upper).is_lt(),
                    Bound::Unbounded => true,
                }
        }),
        Query::Boolean { clauses, minimum_should_match } => {
            let of = |occur| clauses.iter().filter(move |clause| clause.occur == occur);
            let required = of(Must).chain(of(Filter)).count();
            let should = of(Should).filter(|clause| matches(&clause.query, doc)).count();
            let minimum = if required == 0 { (*minimum_should_match).max(1) } else { *minimum_should_match };
            of(Must).chain(of(Filter)).all(|clause| matches(&clause.query, doc))
                && !of(MustNot).any(|clause| matches(&clause.query, doc))
                && should >= minimum
        }
        _ => false,
    }
}

fn bound(value: Option<(Value, bool)>) -> Bound<Value> {
    match value {
        Some((value, true)) => Bound::Included(value),
        Some((value, false)) => Bound::Excluded(value),
        None => Bound::Unbounded,
    }
}

fn leaf() -> impl Strategy<Value = Query> {
    let word = 0..WORDS.len();
    let field = prop::sample::select(vec!["a_t", "c_s", "e_ss", "v_dv"]);
    let any_field =
        prop::sample::select(vec!["a_t", "c_s", "e_ss", "v_dv", "n_i", "m_is", "x_d", "f_b", "none_s"]);
    let int_bound = || prop::option::of((-4i32..5, any::<bool>()));
    let pattern = prop::sample::select(vec!["r*", "g*n", "*e*", "gr*"])
        .prop_filter("one run", |p| p.matches('*').count() == 1);
    prop_oneof![
        Just(Query::All),
        (field.clone(), word.clone()).prop_map(|(field, word)| term(field, WORDS[word])),
        (-4i32..5).prop_map(|number| value("n_i", Value::Int(number))),
        any::<bool>().prop_map(|flag| value("f_b", Value::Bool(flag))),
        (field.clone(), prop::collection::vec(word.clone(), 0..3)).prop_map(|(field, words)| {
            Query::TermSet { field: field.into(), values: words.into_iter().map(text).collect() }
        }),
        any_field.prop_map(|field| Query::Exists { field: field.into() }),
        (field.clone(), prop::sample::select(vec!["", "r", "gr", "z"]))
            .prop_map(|(field, prefix)| Query::Prefix { field: field.into(), prefix: prefix.into() }),
        (field.clone(), pattern)
            .prop_map(|(field, pattern)| Query::Wildcard { field: field.into(), pattern: pattern.into() }),
        (prop::sample::select(vec!["n_i", "m_is"]), int_bound(), int_bound()).prop_map(
            |(field, low, high)| {
                let of =
                    |side: Option<(i32, bool)>| bound(side.map(|(number, open)| (Value::Int(number), open)));
                range(field, of(low), of(high))
            }
        ),
        (int_bound(), int_bound()).prop_map(|(low, high)| {
            let of = |side: Option<(i32, bool)>| {
                bound(side.map(|(number, open)| (Value::Double(f64::from(number) / 2.0), open)))
            };
            range("x_d", of(low), of(high))
        }),
        (field, prop::option::of((word.clone(), any::<bool>())), prop::option::of((word, any::<bool>())))
            .prop_map(|(field, low, high)| {
                let of = |side: Option<(usize, bool)>| bound(side.map(|(word, open)| (text(word), open)));
                range(field, of(low), of(high))
            }),
    ]
}

pub(super) fn query() -> impl Strategy<Value = Query> {
    use plan::Occur::{Filter, Must, MustNot, Should};
    leaf().prop_recursive(3, 12, 4, |inner| {
        let occur = prop::sample::select(vec![Must, Should, Should, MustNot, Filter]);
        (prop::collection::vec((occur, inner), 1..4), 0usize..3).prop_map(
            |(clauses, minimum_should_match)| {
                let clauses =
                    clauses.into_iter().map(|(occur, query)| plan::Clause { occur, query }).collect();
                Query::Boolean { clauses, minimum_should_match }
            },
        )
    })
}

/// Ids of the living documents that match, in index order.
fn expected(docs: &[Doc], query: &Query) -> Vec<String> {
    let hit = |(_, doc): &(usize, &Doc)| !doc.deleted && matches(query, doc);
    docs.iter().enumerate().filter(hit).map(|(id, _)| format!("{id:03}")).collect()
}

fn ids(result: SearchResult) -> Vec<String> {
    result.hits.into_iter().map(|hit| hit.id).collect()
}

fn everything(query: Query) -> SearchPlan {
    let sort = vec![SortKey { by: SortBy::IndexOrder, descending: false }];
    SearchPlan { sort, scores: false, page: Page { start: 0, rows: 1000 }, ..plan(query) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_are_the_models(
        docs in prop::collection::vec(doc(), 0..40),
        queries in prop::collection::vec((query(), query()), 6),
    ) {
        let shard = shard(&docs);
        let caches = SearchCaches::default();
        for (query, restriction) in queries {
            let all = expected(&docs, &query);
            let by_index = search(&shard, &everything(query.clone()), &caches).unwrap();
            prop_assert_eq!(by_index.total, all.len() as u64, "{:?}", query);
            prop_assert_eq!(ids(by_index), all.clone(), "{:?}", query);
            let mut by_score = ids(search(&shard, &plan(query.clone()), &caches).unwrap());
            by_score.sort();
            prop_assert_eq!(by_score, all.clone(), "{:?}", query);
            let doomed: usize = matching_docs(&shard, &query).unwrap().iter().map(|(_, docs)| docs.len()).sum();
            prop_assert_eq!(doomed, all.len());
            let both: BTreeSet<_> = expected(&docs, &restriction).into_iter().filter(|id| all.contains(id)).collect();
            for _ in 0..2 {
                let plan = SearchPlan { filters: vec![filter(restriction.clone())], ..plan(query.clone()) };
                let result = search(&shard, &plan, &caches).unwrap();
                prop_assert_eq!(result.total, both.len() as u64);
                prop_assert_eq!(ids(result).into_iter().collect::<BTreeSet<_>>(), both.clone());
            }
        }
    }

    #[test]
    fn a_kept_result_is_the_result(
        docs in prop::collection::vec(doc(), 1..40),
        query in query(),
        pages in prop::collection::vec((0usize..20, 0usize..20, any::<bool>()), 1..6),
    ) {
        let shard = shard(&docs);
        let keeping = SearchCaches::new(&CacheSizes::default());
        for (start, rows, scores) in pages {
            let plan = SearchPlan { page: Page { start, rows }, scores, ..plan(query.clone()) };
            let shown = |caches: &SearchCaches| {
                let found = search(&shard, &plan, caches).unwrap();
                let hits: Vec<_> = found.hits.into_iter().map(|hit| (hit.id, hit.score, hit.place)).collect();
                (found.total, found.score_max, hits)
            };
            prop_assert_eq!(shown(&keeping), shown(&SearchCaches::default()), "{:?}", query);
        }
    }

    #[test]
    fn the_best_are_the_best_of_all(
        docs in prop::collection::vec(doc(), 1..60),
        query in query(),
        rows in 1usize..6,
    ) {
        let shard = shard(&docs);
        let caches = SearchCaches::default();
        let hits = |rows| {
            let page = Page { start: 0, rows };
            let result = search(&shard, &SearchPlan { page, ..plan(query.clone()) }, &caches).unwrap();
            result.hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>()
        };
        let all = hits(1000);
        prop_assert!(all.windows(2).all(|pair| pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0)));
        prop_assert_eq!(hits(rows), all.into_iter().take(rows).collect::<Vec<_>>());
    }

    #[test]
    fn order_is_the_models(
        docs in prop::collection::vec(doc(), 0..40),
        keys in prop::collection::vec((prop::sample::select(vec!["c_s", "n_i", "x_d", "f_b", "none_s"]), any::<bool>()), 1..4),
        (start, rows) in (0usize..10, 1usize..10),
    ) {
        let shard = shard(&docs);
        let sort = keys.iter().map(|(field, descending)| by(field, *descending)).collect();
        let plan = SearchPlan { sort, page: Page { start, rows }, scores: false, ..plan(Query::All) };
        let got = ids(search(&shard, &plan, &SearchCaches::default()).unwrap());
        let mut all: Vec<(usize, &Doc)> = docs.iter().enumerate().filter(|(_, doc)| !doc.deleted).collect();
        all.sort_by(|(_, left), (_, right)| {
            let orders = keys.iter().map(|(field, descending)| {
                let order = model_order(field, left, right);
                if *descending { order.reverse() } else { order }
            });
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let expected: Vec<String> = all.iter().skip(start).take(rows).map(|(id, _)| format!("{id:03}")).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn facets_are_the_models(
        docs in prop::collection::vec(doc(), 0..40),
        query in query(),
        tagged in query(),
        (field, by_count) in (prop::sample::select(vec!["a_t", "c_s", "e_ss", "v_dv", "n_i", "m_is", "x_d", "f_b"]), any::<bool>()),
        (limit, offset, count_min) in (prop::option::of(0usize..5), 0usize..3, 0u64..3),
    ) {
        let shard = shard(&docs);
        let sort = if by_count { FacetSort::Count } else { FacetSort::Index };
        let facet = |key: &str, exclude_tags: Vec<String>| FieldFacet {
            key: key.into(), sort, limit, offset, count_min, missing: true, exclude_tags, ..FieldFacet::of(&field.into())
        };
        let facets = FacetPlan {
            enabled: true,
            queries: vec![plan::QueryFacet { key: "q".into(), query: term("e_ss", "red"), exclude_tags: vec![] }],
            fields: vec![facet("all", vec![]), facet("without", vec!["t".into()])],
            ranges: vec![ranges()],
            ..FacetPlan::default()
        };
        let filters = vec![plan::Filter { tags: vec!["t".into()], ..filter(tagged.clone()) }];
        let plan = SearchPlan { filters, facets, fields: FieldSelection::default(), ..plan(query.clone()) };
        let result = shown(&[shard], &plan, &[]);
        let living: Vec<&Doc> = docs.iter().filter(|doc| !doc.deleted && matches(&query, doc)).collect();
        let hits: Vec<&Doc> = living.iter().copied().filter(|doc| matches(&tagged, doc)).collect();
        let red = hits.iter().filter(|doc| matches(&term("e_ss", "red"), doc)).count();
        prop_assert_eq!(result.queries, vec![("q".to_owned(), red as u64)]);
        for (got, domain) in result.fields.iter().zip([&hits, &living]) {
            let model = Model { docs: &docs, domain, field, count_min, by_count };
            prop_assert_eq!(&got.counts, &model.counts(offset, limit), "{} {}", got.key, field);
            prop_assert_eq!(got.missing, Some(domain.iter().filter(|doc| doc.values(field).is_empty()).count() as u64));
        }
        let inside = |low: i32, high: i32| {
            hits.iter().filter(|doc| doc.numbers.iter().any(|number| (low..high).contains(number))).count() as u64
        };
        let expected: Vec<(String, u64)> =
            [-3, -1, 1].iter().map(|low| (low.to_string(), inside(*low, low + 2))).filter(|(_, count)| *count > 0).collect();
        prop_assert_eq!(&result.ranges[0].counts, &expected);
        let others = vec![(OtherRange::Before, inside(-100, -3)), (OtherRange::After, inside(3, 100)), (OtherRange::Between, inside(-3, 3))];
        prop_assert_eq!(&result.ranges[0].others, &others);
    }
}

pub(super) fn ranges() -> RangeFacet {
    let int = Value::Int;
    let bucket = |label: &str, lower, upper| RangeBucket { label: label.into(), lower, upper };
    let step = |low: i32| bucket(&low.to_string(), Bound::Included(int(low)), Bound::Excluded(int(low + 2)));
    RangeFacet {
        key: "r".into(),
        field: "m_is".into(),
        money: None,
        start: int(-3),
        end: int(3),
        gap: "2".into(),
        buckets: vec![step(-3), step(-1), step(1)],
        others: vec![
            (OtherRange::Before, bucket("", Bound::Unbounded, Bound::Excluded(int(-3)))),
            (OtherRange::After, bucket("", Bound::Included(int(3)), Bound::Unbounded)),
            (OtherRange::Between, bucket("", Bound::Included(int(-3)), Bound::Excluded(int(3)))),
        ],
        count_min: 1,
        exclude_tags: Vec::new(),
    }
}

/// Without `sortMissing…`, numbers count as 0 and everything else as lowest.
fn model_order(field: &str, left: &Doc, right: &Doc) -> std::cmp::Ordering {
    let key = |doc: &Doc| doc.values(field).into_iter().next();
    let zero = match field {
        "n_i" => Some(Value::Int(0)),
        "x_d" => Some(Value::Double(0.0)),
        _ => None,
    };
    match (key(left).or_else(|| zero.clone()), key(right).or(zero)) {
        (Some(left), Some(right)) => compare(&left, &right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

struct Model<'a> {
    docs: &'a [Doc],
    domain: &'a [&'a Doc],
    field: &'a str,
    count_min: u64,
    by_count: bool,
}

impl Model<'_> {
    fn counts(&self, offset: usize, limit: Option<usize>) -> Vec<(Value, u64)> {
        let points = matches!(self.field, "n_i" | "m_is" | "x_d");
        let mut counts: BTreeMap<String, (Value, u64)> = BTreeMap::new();
        // Values of deleted documents stay known until a merge.
        for value in self.docs.iter().flat_map(|doc| doc.values(self.field)) {
            counts.insert(value.to_text(), (value, 0));
        }
        for doc in self.domain {
            let distinct: BTreeSet<String> = doc.values(self.field).iter().map(Value::to_text).collect();
            distinct.iter().for_each(|text| counts.get_mut(text).unwrap().1 += 1);
        }
        let count_min = if points { self.count_min.max(1) } else { self.count_min };
        let mut all: Vec<(Value, u64)> =
            counts.into_values().filter(|(_, count)| *count >= count_min).collect();
        all.sort_by(|left, right| {
            let by_count = if self.by_count { right.1.cmp(&left.1) } else { std::cmp::Ordering::Equal };
            by_count.then_with(|| compare(&left.0, &right.0))
        });
        all.into_iter().skip(offset).take(limit.unwrap_or(usize::MAX)).collect()
    }
}

#[test]
fn minimum_counts_clauses_not_terms() {
    use plan::Occur::{Must, Should};
    let docs = vec![];
    let shard = shard(&docs);
    let query = at_least(3, [(Should, term("a_t", "red")), (Should, term("a_t", "green"))]);
    assert_eq!(search(&shard, &plan(query), &SearchCaches::default()).unwrap().total, 0);
    let query = boolean([(Must, Query::Nothing), (Should, Query::All)]);
    assert_eq!(search(&shard, &plan(query), &SearchCaches::default()).unwrap().total, 0);
}
