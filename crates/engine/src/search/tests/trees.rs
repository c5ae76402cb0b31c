//! Random trees of facets with statistics over random documents, against a model that looks at every document
//! of every bucket.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use plan::{
    BucketPlan, BucketResult, Buckets, DomainChange, FacetPlan, NamedStat, OtherRange, Prelim, Query,
    RangeBucket, RangesFacet, SearchPlan, ShardListing, Stat, StatFunction, StatSource, StatValue, SubFacet,
    SubFacetKind, SubFacetResult, TermsFacet, TermsSort, Value,
};
use proptest::prelude::*;

use super::brute_force::{Doc, compare, doc, matches, query, shard};
use super::build::{filter, plan, shown, term};

const NUMBERS: [&str; 3] = ["n_i", "m_is", "x_d"];
const FIELDS: [&str; 9] = ["c_s", "e_ss", "v_dv", "f_b", "none_s", "a_t", "n_i", "m_is", "x_d"];

fn stat() -> impl Strategy<Value = Stat> {
    let of_all = prop::sample::select(vec![
        StatFunction::Min,
        StatFunction::Max,
        StatFunction::Distinct,
        StatFunction::DistinctValues,
        StatFunction::CountValues,
        StatFunction::Missing,
    ]);
    let of_numbers = prop::sample::select(vec![
        StatFunction::Sum,
        StatFunction::Average,
        StatFunction::SumOfSquares,
        StatFunction::Variance,
        StatFunction::Percentiles(vec![50.0, 0.0, 100.0]),
    ]);
    let source = |field: &'static str| StatSource::Field(Arc::from(field));
    prop_oneof![
        (of_all, prop::sample::select(FIELDS.to_vec()))
            .prop_map(move |(function, field)| Stat { function, source: source(field) }),
        (of_numbers, prop::sample::select(NUMBERS.to_vec()))
            .prop_map(move |(function, field)| Stat { function, source: source(field) }),
        Just(Stat { function: StatFunction::CountValues, source: StatSource::Documents }),
    ]
}

fn stats() -> impl Strategy<Value = Vec<NamedStat>> {
    let named = |stats: Vec<Stat>| {
        stats.into_iter().enumerate().map(|(at, stat)| NamedStat { key: format!("s{at}"), stat }).collect()
    };
    prop::collection::vec(stat(), 0..4).prop_map(named)
}

fn terms() -> impl Strategy<Value = TermsFacet> {
    (
        prop::sample::select(FIELDS.to_vec()),
        (0usize..5, any::<bool>()),
        (prop::option::of(0usize..4), 0usize..2, 0u64..3),
        (prop::option::weighted(0.2, Just("r".to_owned())), any::<[bool; 3]>()),
        prop::option::weighted(0.3, (any::<[bool; 2]>(), 0usize..3)),
    )
        .prop_map(|(field, (sort, descending), (limit, offset, count_min), (prefix, flags), prelim)| {
            let number = NUMBERS.contains(&field);
            let text = !number && field != "f_b";
            TermsFacet {
                field: field.into(),
                sort: match sort {
                    0 => TermsSort::Count,
                    1 => TermsSort::Index,
                    _ => TermsSort::Stat(sort - 2),
                },
                descending,
                prelim: prelim.map(|([counts, descending], extra)| {
                    let sort = if counts { TermsSort::Count } else { TermsSort::Index };
                    Prelim { sort, descending, extra }
                }),
                limit,
                offset,
                count_min: if number { count_min.max(1) } else { count_min },
                prefix: prefix.filter(|_| text),
                missing: flags[0],
                num_buckets: flags[1],
                all_buckets: flags[2],
                listing: ShardListing::All,
            }
        })
}

fn ranges() -> impl Strategy<Value = RangesFacet> {
    let bounds = prop::collection::vec((-4i32..5, 0i32..4, any::<bool>()), 0..4);
    (prop::sample::select(vec!["n_i", "m_is"]), bounds, 0u64..2).prop_map(|(field, bounds, count_min)| {
        let int = Value::Int;
        let range = |lower, upper| RangeBucket { label: String::new(), lower, upper };
        let bucket = |(low, size, open): (i32, i32, bool)| {
            let upper =
                if open { Bound::Excluded(int(low + size)) } else { Bound::Included(int(low + size)) };
            (int(low), range(Bound::Included(int(low)), upper))
        };
        let before = range(Bound::Unbounded, Bound::Excluded(int(0)));
        RangesFacet {
            field: field.into(),
            money: None,
            buckets: bounds.into_iter().map(bucket).collect(),
            others: vec![(OtherRange::Before, before)],
            count_min,
        }
    })
}

fn kind() -> impl Strategy<Value = SubFacetKind> {
    prop_oneof![
        4 => terms().prop_map(SubFacetKind::Terms),
        1 => ranges().prop_map(SubFacetKind::Ranges),
        1 => prop::option::of(query()).prop_map(SubFacetKind::Query),
    ]
}

fn domain() -> impl Strategy<Value = DomainChange> {
    prop_oneof![
        3 => Just(DomainChange::default()),
        2 => Just(DomainChange { exclude_tags: vec!["t".into()], ..DomainChange::default() }),
        1 => query().prop_map(|query| DomainChange { filters: vec![query], ..DomainChange::default() }),
        1 => query().prop_map(|query| DomainChange { queries: Some(vec![query]), ..DomainChange::default() }),
    ]
}

pub(super) fn tree() -> impl Strategy<Value = BucketPlan> {
    let leaf = (stats(), prop::bool::weighted(0.1));
    let leaf =
        leaf.prop_map(|(stats, process_empty)| BucketPlan { stats, process_empty, ..BucketPlan::default() });
    leaf.prop_recursive(4, 12, 2, |below| {
        let facet = (kind(), domain(), below).prop_map(|(mut kind, domain, below)| {
            if let SubFacetKind::Terms(terms) = &mut kind
                && let TermsSort::Stat(at) = terms.sort
                && below.stats.get(at).is_none_or(|named| named.stat.function == StatFunction::DistinctValues)
            {
                terms.sort = TermsSort::Count;
            }
            SubFacet { key: "f".into(), domain, kind, below }
        });
        (stats(), prop::collection::vec(facet, 1..3)).prop_map(|(stats, facets)| BucketPlan {
            stats,
            facets,
            process_empty: false,
        })
    })
}

/// The documents, and the search that they are hits of.
struct Model<'a> {
    docs: &'a [Doc],
    /// Hits of the search without its one tagged filter.
    untagged: Vec<&'a Doc>,
}

type Hits<'a> = Vec<&'a Doc>;
/// Whether a document would have come to this bucket.
type Way<'w> = &'w dyn Fn(&Doc) -> bool;

impl<'a> Model<'a> {
    fn bucket(&self, plan: &BucketPlan, hits: &[&'a Doc], way: Way<'_>) -> BucketResult {
        let skipped = hits.is_empty() && !plan.process_empty;
        let stats = if skipped { Vec::new() } else { all_stats(plan, hits) };
        let grows = |facet: &&SubFacet| !skipped || outgrows_nothing(facet);
        let facets = plan.facets.iter().filter(grows);
        let facets = facets.map(|facet| (facet.key.clone(), self.facet(facet, hits, way))).collect();
        BucketResult { count: hits.len() as u64, stats, facets }
    }

    fn facet(&self, facet: &SubFacet, hits: &[&'a Doc], way: Way<'_>) -> SubFacetResult {
        let mut hits: Hits<'a> = hits.to_vec();
        if let Some(queries) = &facet.domain.queries {
            let found = |doc: &&Doc| !doc.deleted && queries.iter().all(|query| matches(query, doc));
            hits = self.docs.iter().filter(found).collect();
        } else if !facet.domain.exclude_tags.is_empty() {
            hits = self.untagged.iter().copied().filter(|doc| way(doc)).collect();
        }
        hits.retain(|doc| facet.domain.filters.iter().all(|query| matches(query, doc)));
        match &facet.kind {
            SubFacetKind::Query(None) => SubFacetResult::Query(self.bucket(&facet.below, &hits, way)),
            SubFacetKind::Query(Some(query)) => {
                hits.retain(|doc| matches(query, doc));
                let way: Way<'_> = &|doc| way(doc) && matches(query, doc);
                SubFacetResult::Query(self.bucket(&facet.below, &hits, way))
            }
            SubFacetKind::Terms(terms) => {
                SubFacetResult::Buckets(self.terms(terms, &facet.below, &hits, way))
            }
            SubFacetKind::Ranges(ranges) => {
                SubFacetResult::Buckets(self.ranges(ranges, &facet.below, &hits, way))
            }
            SubFacetKind::Heatmap(_) => unreachable!("the generator makes none"),
        }
    }

    fn terms(&self, terms: &TermsFacet, below: &BucketPlan, hits: &[&'a Doc], way: Way<'_>) -> Buckets {
        let field = &*terms.field;
        let shown = |value: &Value| match (&terms.prefix, value.as_str()) {
            (Some(prefix), Some(text)) => text.starts_with(prefix.as_str()),
            _ => true,
        };
        let mut by_value: BTreeMap<String, (Value, Hits<'a>)> = BTreeMap::new();
        let every = self.docs.iter().flat_map(|doc| doc.values(field));
        every.filter(|value| terms.count_min == 0 && shown(value)).for_each(|value| {
            by_value.insert(value.to_text(), (value, Vec::new()));
        });
        // Strings and booleans are not looked at with fewer documents than a bucket needs.
        let by_place = !matches!(field.rsplit_once('_'), Some((_, "i" | "is" | "d" | "f" | "l" | "dt")));
        let looked_at = if by_place && (hits.len() as u64) < terms.count_min { &[] } else { hits };
        for doc in looked_at {
            for value in doc.values(field).into_iter().filter(shown) {
                let bucket = &mut by_value.entry(value.to_text()).or_insert((value, Vec::new())).1;
                if bucket.last().is_none_or(|last| !std::ptr::eq(*last, *doc)) {
                    bucket.push(doc);
                }
            }
        }
        let mut found: Vec<(Value, Hits<'a>)> = by_value.into_values().collect();
        found.sort_by(|left, right| compare(&left.0, &right.0));
        let num_buckets = found.len() as u64;
        let all: Hits<'a> = found.iter().flat_map(|(_, docs)| docs.iter().copied()).collect();
        found.retain(|(_, docs)| docs.len() as u64 >= terms.count_min);
        let sort = |found: &mut Vec<(Value, Hits<'a>)>, sort, descending| {
            found.sort_by(|left, right| compare(&left.0, &right.0));
            found.sort_by(|left, right| {
                let order = match sort {
                    TermsSort::Count => left.1.len().cmp(&right.1.len()),
                    TermsSort::Index => compare(&left.0, &right.0),
                    TermsSort::Stat(at) => by_stat(&below.stats[at].stat, &left.1, &right.1),
                };
                if descending { order.reverse() } else { order }
            });
        };
        if let (Some(prelim), Some(limit)) = (terms.prelim, terms.limit) {
            sort(&mut found, prelim.sort, prelim.descending);
            found.truncate(terms.offset + limit + prelim.extra);
        }
        sort(&mut found, terms.sort, terms.descending);
        let page = found.into_iter().skip(terms.offset).take(terms.limit.unwrap_or(usize::MAX));
        let list = page.map(|(value, docs)| {
            let has: Way<'_> = &|doc| way(doc) && doc.values(field).contains(&value);
            let result = self.bucket(below, &docs, has);
            (value, result)
        });
        let list = list.collect();
        let without: Hits<'a> = hits.iter().copied().filter(|doc| doc.values(field).is_empty()).collect();
        let lacks: Way<'_> = &|doc| way(doc) && doc.values(field).is_empty();
        Buckets {
            list,
            num_buckets: terms.num_buckets.then_some(num_buckets),
            all_buckets: terms.all_buckets.then(|| BucketResult {
                count: all.len() as u64,
                stats: all_stats(below, &all),
                facets: Vec::new(),
            }),
            missing: terms.missing.then(|| self.bucket(below, &without, lacks)),
            others: Vec::new(),
        }
    }

    fn ranges(&self, ranges: &RangesFacet, below: &BucketPlan, hits: &[&'a Doc], way: Way<'_>) -> Buckets {
        let bucket = |range: &RangeBucket| {
            let query = Query::Range(plan::Range {
                field: ranges.field.clone(),
                lower: range.lower.clone(),
                upper: range.upper.clone(),
            });
            let inside: Hits<'a> = hits.iter().copied().filter(|doc| matches(&query, doc)).collect();
            self.bucket(below, &inside, &|doc| way(doc) && matches(&query, doc))
        };
        let list = ranges.buckets.iter().map(|(value, range)| (value.clone(), bucket(range)));
        let others = ranges.others.iter().map(|(which, range)| (*which, bucket(range)));
        Buckets {
            list: list.filter(|(_, found)| found.count >= ranges.count_min).collect(),
            others: others.collect(),
            ..Buckets::default()
        }
    }
}

fn outgrows_nothing(facet: &SubFacet) -> bool {
    facet.domain.widens() || facet.below.facets.iter().any(outgrows_nothing)
}

fn all_stats(plan: &BucketPlan, docs: &[&Doc]) -> Vec<(String, StatValue)> {
    plan.stats.iter().map(|named| (named.key.clone(), value_of(&named.stat, docs))).collect()
}

/// All values in order of documents; of strings each once for a document.
fn values(field: &str, docs: &[&Doc]) -> Vec<Value> {
    let of = |doc: &&Doc| {
        let mut values = doc.values(field);
        if !NUMBERS.contains(&field) {
            values.sort_by(compare);
            values.dedup();
        }
        values
    };
    docs.iter().flat_map(of).collect()
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Int(number) => f64::from(*number),
        Value::Double(number) => *number,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        other => panic!("{other:?}"),
    }
}

fn value_of(stat: &Stat, docs: &[&Doc]) -> StatValue {
    let long = |count: usize| StatValue::One(Value::Long(count as i64));
    let double = |number: f64| StatValue::One(Value::Double(number));
    let StatSource::Field(field) = &stat.source else { return long(docs.len()) };
    let mut all = values(field, docs);
    all.sort_by(compare);
    let numbers = || all.iter().map(real);
    // Rust sums nothing up to -0.0.
    let sum: f64 =
        all.iter().filter(|value| value.as_str().is_none()).map(real).fold(0.0, |sum, one| sum + one);
    let count = all.len() as f64;
    let end = |value: Option<&Value>| match value {
        None => StatValue::Nothing,
        Some(Value::Int(number)) => StatValue::One(Value::Long(i64::from(*number))),
        Some(Value::Bool(flag)) => double(f64::from(u8::from(*flag))),
        Some(other) => StatValue::One(other.clone()),
    };
    let mut distinct = all.clone();
    distinct.dedup();
    match &stat.function {
        StatFunction::Min => end(all.first()),
        StatFunction::Max => end(all.last()),
        StatFunction::Distinct => long(distinct.len()),
        StatFunction::DistinctValues => StatValue::Many(distinct),
        StatFunction::CountValues => long(all.len()),
        StatFunction::Missing => long(docs.iter().filter(|doc| doc.values(field).is_empty()).count()),
        StatFunction::Sum => double(sum),
        StatFunction::SumOfSquares => {
            double(numbers().map(|number| number * number).fold(0.0, |sum, one| sum + one))
        }
        StatFunction::Average => double(if all.is_empty() { 0.0 } else { sum / count }),
        StatFunction::Variance if all.len() < 2 => double(0.0),
        StatFunction::Variance => {
            let squares: f64 = numbers().map(|number| number * number).sum();
            double((count * squares - sum * sum) / (count * (count - 1.0)))
        }
        StatFunction::Percentiles(shares) => {
            let sorted: Vec<f64> = numbers().collect();
            let at = |share: f64| ((share / 100.0 * count) as usize).min(sorted.len().saturating_sub(1));
            let values = shares.iter().map(|share| (*share, sorted.get(at(*share)).copied()));
            StatValue::Percentiles(values.collect())
        }
        other => panic!("{other:?}"),
    }
}

/// Buckets without a value come first, but last where it would be an end of reals.
fn by_stat(stat: &Stat, left: &[&Doc], right: &[&Doc]) -> Ordering {
    let key = |docs: &[&Doc]| match value_of(stat, docs) {
        StatValue::One(value) => Some(value),
        StatValue::Percentiles(values) => values.first().and_then(|(_, value)| value.map(Value::Double)),
        _ => None,
    };
    let reals =
        stat.source == StatSource::Field("x_d".into()) || stat.source == StatSource::Field("f_b".into());
    let end = matches!(stat.function, StatFunction::Min | StatFunction::Max);
    match (key(left), key(right)) {
        (Some(left), Some(right)) => compare(&left, &right),
        (left, right) if reals && end => right.is_some().cmp(&left.is_some()),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn trees_are_the_models(
        docs in prop::collection::vec(doc(), 0..40),
        query in query(),
        tagged in prop_oneof![query(), Just(term("e_ss", "red"))],
        (tree, full) in (tree(), any::<bool>()),
    ) {
        let docs: Vec<Doc> = if full { docs.into_iter().map(Doc::filled).collect() } else { docs };
        let shard = shard(&docs);
        let filters = vec![plan::Filter { tags: vec!["t".into()], ..filter(tagged.clone()) }];
        let facets = FacetPlan { tree: Some(tree.clone()), ..FacetPlan::default() };
        let plan = SearchPlan { filters, facets, ..plan(query.clone()) };
        let got = shown(&[shard], &plan, &[]).tree.unwrap();
        let untagged: Hits<'_> = docs.iter().filter(|doc| !doc.deleted && matches(&query, doc)).collect();
        let hits: Hits<'_> = untagged.iter().copied().filter(|doc| matches(&tagged, doc)).collect();
        let model = Model { docs: &docs, untagged };
        let expected = model.bucket(&tree, &hits, &|_| true);
        prop_assert_eq!(got, expected);
    }
}
