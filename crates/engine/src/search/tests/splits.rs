//! Laws of parts: a collection's documents, split over shards in any way and merged in any order, give the
//! facets that one shard with all of them gives.

use std::sync::Arc;

use plan::{
    BucketPlan, CutDepth, DomainChange, FacetPlan, FacetSort, FieldFacet, IntervalFacet, NamedStat,
    PivotFacet, Query, QueryFacet, SearchPlan, ShardListing, Stat, StatFunction, StatSource, SubFacet,
    SubFacetKind, TermsFacet, TermsSort,
};
use proptest::prelude::*;

use super::brute_force::{Doc, doc, query, ranges, shard};
use super::build::{filter, plan, shown, term};
use super::trees::tree;

const FIELDS: [&str; 9] = ["c_s", "e_ss", "v_dv", "f_b", "none_s", "a_t", "n_i", "m_is", "x_d"];

fn field() -> impl Strategy<Value = FieldFacet> {
    (
        prop::sample::select(FIELDS.to_vec()),
        (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2)),
        (prop::option::of(0usize..5), 0usize..3, 0u64..3),
        prop::option::weighted(0.2, Just("r".to_owned())),
    )
        .prop_map(|(field, (by_count, missing, exists), (limit, offset, count_min), prefix)| {
            let sort = if by_count { FacetSort::Count } else { FacetSort::Index };
            let prefix = prefix.filter(|_| !matches!(field, "n_i" | "m_is" | "x_d"));
            FieldFacet {
                sort,
                limit,
                offset,
                count_min,
                missing,
                exists,
                prefix,
                ..FieldFacet::of(&field.into())
            }
        })
}

fn named(key: &str, function: StatFunction, source: StatSource) -> NamedStat {
    NamedStat { key: key.into(), stat: Stat { function, source } }
}

/// Statistics of numbers that the random trees have none of.
fn stats_of(field: &str) -> Vec<NamedStat> {
    let source = || StatSource::Field(Arc::from(field));
    vec![
        named("mean", StatFunction::Mean, source()),
        named("deviation", StatFunction::StdDev, source()),
        named("median", StatFunction::Percentiles(vec![50.0, 99.0]), source()),
        named("values", StatFunction::DistinctValues, source()),
    ]
}

/// Of a set's relatedness: what a tree has and a pivot has not.
fn related() -> NamedStat {
    let sets = StatSource::Sets { foreground: term("e_ss", "red"), background: Query::All };
    named("related", StatFunction::Relatedness { popularity_min: 0.0 }, sets)
}

fn pivot() -> impl Strategy<Value = PivotFacet> {
    let stats = BucketPlan { stats: stats_of("x_d"), ..BucketPlan::default() };
    (prop::collection::vec(field(), 1..4), prop::option::of(Just(stats)), any::<bool>()).prop_map(
        |(levels, stats, ranged)| PivotFacet {
            key: "p".into(),
            levels,
            exclude_tags: Vec::new(),
            stats,
            queries: vec![reds()],
            ranges: if ranged { vec![ranges()] } else { Vec::new() },
        },
    )
}

fn reds() -> QueryFacet {
    QueryFacet { key: "red".into(), query: term("e_ss", "red"), exclude_tags: vec!["t".into()] }
}

fn facets() -> impl Strategy<Value = FacetPlan> {
    let by_relatedness = |field: &'static str| {
        let terms = TermsFacet {
            field: field.into(),
            sort: TermsSort::Stat(0),
            descending: true,
            prelim: None,
            limit: Some(3),
            offset: 0,
            count_min: 1,
            prefix: None,
            missing: true,
            num_buckets: true,
            all_buckets: true,
            listing: ShardListing::All,
        };
        let stats = [vec![related()], stats_of("n_i")].concat();
        let below = BucketPlan { stats, ..BucketPlan::default() };
        let (key, domain) = ("r".to_owned(), DomainChange::default());
        let facet = SubFacet { key, domain, kind: SubFacetKind::Terms(terms), below };
        BucketPlan { stats: stats_of("m_is"), facets: vec![facet], ..BucketPlan::default() }
    };
    let fields = prop::collection::vec(field(), 0..4);
    (fields, pivot(), tree(), prop::sample::select(FIELDS.to_vec())).prop_map(
        move |(fields, pivot, tree, field)| FacetPlan {
            enabled: true,
            queries: vec![reds()],
            fields,
            ranges: vec![ranges()],
            intervals: vec![IntervalFacet { key: "i".into(), intervals: vec![reds()], exclude_tags: vec![] }],
            pivots: vec![pivot],
            tree: Some(tree),
            stats: Some(by_relatedness(field)),
            ..FacetPlan::default()
        },
    )
}

/// Facets that can count groups: of strings and truths, by queries and ranges.
fn grouped_facets() -> impl Strategy<Value = FacetPlan> {
    let strings = || {
        field().prop_filter("no words and no numbers", |facet| {
            matches!(&*facet.field, "c_s" | "e_ss" | "v_dv" | "f_b" | "none_s")
        })
    };
    let pivot = prop::collection::vec(strings(), 1..3).prop_map(|levels| PivotFacet {
        key: "p".into(),
        levels,
        exclude_tags: Vec::new(),
        stats: None,
        queries: vec![reds()],
        ranges: vec![ranges()],
    });
    let by = prop::sample::select(vec!["c_s", "f_b", "n_i", "x_d", "none_s"]);
    (prop::collection::vec(strings(), 0..4), pivot, by).prop_map(|(fields, pivot, by)| FacetPlan {
        enabled: true,
        queries: vec![reds()],
        fields,
        ranges: vec![ranges()],
        pivots: vec![pivot],
        groups_of: Some(by.into()),
        ..FacetPlan::default()
    })
}

/// Documents with their shards, and how those are merged.
type Split = (Vec<(Doc, usize)>, usize, Vec<usize>);

fn split() -> impl Strategy<Value = Split> {
    let docs = prop::collection::vec((doc(), 0usize..7), 0..40);
    (docs, 1usize..8, prop::collection::vec(0usize..7, 6))
}

/// What one shard counts, and what all shards count together.
fn check(
    (docs, count, pairs): Split,
    (query, tagged): (Query, Query),
    facets: FacetPlan,
) -> Result<(), TestCaseError> {
    let of = |shard: Option<usize>| -> Vec<Doc> {
        let here = docs.iter().filter(|(_, at)| shard.is_none_or(|shard| shard == *at % count));
        here.map(|(doc, _)| doc.clone()).collect()
    };
    let filters = vec![plan::Filter { tags: vec!["t".into()], ..filter(tagged) }];
    let whole = SearchPlan { filters, facets, ..plan(query) };
    let one = shown(&[shard(&of(None))], &whole, &[]);
    let parts = FacetPlan { depth: CutDepth::Whole, ..whole.facets.clone() };
    let parts = SearchPlan { facets: parts, ..whole };
    let shards: Vec<_> = (0..count).map(|at| shard(&of(Some(at)))).collect();
    let many = shown(&shards, &parts, &pairs);
    // As text, where what is no number equals itself.
    prop_assert_eq!(format!("{many:#?}"), format!("{one:#?}"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shards_together_count_what_one_counts(
        (docs, count, pairs) in split(),
        (query, tagged) in (query(), query()),
        (facets, full) in (facets(), any::<bool>()),
    ) {
        let filled = |(doc, at): (Doc, usize)| (if full { doc.filled() } else { doc }, at);
        let docs = docs.into_iter().map(filled).collect();
        check((docs, count, pairs), (query, tagged), facets)?;
    }

    #[test]
    fn groups_with_hits_in_several_shards_count_once(
        split in split(),
        queries in (query(), query()),
        facets in grouped_facets(),
    ) {
        check(split, queries, facets)?;
    }
}
