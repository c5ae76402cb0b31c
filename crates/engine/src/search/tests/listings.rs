//! Facets of fields with more values than shards list at first: several shards show what one shows, however
//! often `cluster` has to ask again (`crates/cluster/src/gather/listing.rs`). The other tests of several
//! shards have so few values that the first lists are all there is.

use std::sync::Arc;

use plan::{
    BucketPlan, DomainChange, FacetPlan, FacetResult, FacetSort, FieldFacet, NamedStat, Query, SearchPlan,
    Stat, StatFunction, StatSource, SubFacet, SubFacetKind, TermsFacet, TermsSort, Value,
};
use proptest::prelude::*;

use super::build::{Pinned, plan};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

/// A document's values, and its shard.
type Row = (u32, Vec<u32>, usize);

/// Low numbers are frequent, as words are.
fn skewed() -> impl Strategy<Value = u32> {
    (0u32..60, 0u32..60).prop_map(|(one, other)| one * other / 60)
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let even = 0u32..60;
    let value = prop_oneof![skewed(), even];
    prop::collection::vec((value.clone(), prop::collection::vec(value, 0..3), 0usize..4), 0..300)
}

/// Of two segments.
fn shard<'r>(rows: impl Iterator<Item = (usize, &'r Row)>) -> Snapshot {
    let documents: Vec<_> = rows
        .map(|(id, (one, many, _))| {
            let several = many.iter().map(|value| text(&format!("v{value:02}"))).collect();
            document(&[
                ("id", vec![text(&id.to_string())]),
                ("c_s", vec![text(&format!("v{one:02}"))]),
                ("e_ss", several),
                ("n_i", vec![Value::Int(*one as i32)]),
            ])
        })
        .collect();
    let half = documents.len() / 2;
    snapshot(&Arc::new(schema()), &[documents[..half].to_vec(), documents[half..].to_vec()])
}

fn facets_of(pins: &[Snapshot], plan: &SearchPlan) -> FacetResult {
    let caches = SearchCaches::default();
    let pins: Vec<Arc<dyn cluster::ShardSnapshot + '_>> = pins
        .iter()
        .map(|snapshot| Arc::new(Pinned::new(snapshot, &caches)) as Arc<dyn cluster::ShardSnapshot + '_>)
        .collect();
    cluster::search_shards(&pins, plan, &meter::Meters::default()).unwrap().facets
}

fn terms(field: &str, (limit, offset, count_min): (usize, usize, u64), below: BucketPlan) -> SubFacet {
    let terms = TermsFacet {
        field: field.into(),
        sort: TermsSort::Count,
        descending: true,
        prelim: None,
        limit: Some(limit),
        offset,
        count_min,
        prefix: None,
        missing: true,
        num_buckets: false,
        all_buckets: true,
        listing: plan::ShardListing::All,
    };
    let (key, domain) = (field.to_owned(), DomainChange::default());
    SubFacet { key, domain, kind: SubFacetKind::Terms(terms), below }
}

/// The same in the order of its first statistic.
fn by_stat(facet: SubFacet, descending: bool) -> SubFacet {
    let SubFacetKind::Terms(terms) = facet.kind else { panic!("no terms facet") };
    let kind = SubFacetKind::Terms(TermsFacet { sort: TermsSort::Stat(0), descending, ..terms });
    SubFacet { kind, ..facet }
}

fn facets(page: (usize, usize, u64)) -> FacetPlan {
    let (limit, offset, count_min) = page;
    let field = |field: &str, sort| FieldFacet {
        sort,
        limit: Some(limit),
        offset,
        count_min,
        missing: true,
        ..FieldFacet::of(&field.into())
    };
    let average = Stat { function: StatFunction::Average, source: StatSource::Field("n_i".into()) };
    let users = Stat { function: StatFunction::Distinct, source: StatSource::Field("e_ss".into()) };
    let nested = BucketPlan {
        stats: vec![
            NamedStat { key: "average".into(), stat: average },
            NamedStat { key: "users".into(), stat: users },
        ],
        facets: vec![terms("e_ss", (2, 0, 1), BucketPlan::default())],
        ..BucketPlan::default()
    };
    let plain = BucketPlan::default;
    let of_numbers = (limit, offset, count_min.max(1));
    FacetPlan {
        enabled: true,
        fields: ["c_s", "e_ss", "n_i"]
            .into_iter()
            .flat_map(|name| [field(name, FacetSort::Count), field(name, FacetSort::Index)])
            .collect(),
        tree: Some(BucketPlan {
            facets: vec![
                terms("c_s", page, nested.clone()),
                terms("e_ss", page, plain()),
                terms("n_i", of_numbers, nested.clone()),
                by_stat(terms("c_s", page, nested.clone()), true),
                by_stat(terms("e_ss", page, nested.clone()), false),
                by_stat(terms("n_i", of_numbers, nested), count_min % 2 == 0),
            ],
            ..plain()
        }),
        ..FacetPlan::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shards_that_list_some_values_first_show_what_one_shows(
        rows in rows(),
        count in 2usize..5,
        page in (1usize..8, 0usize..4, 0u64..6),
    ) {
        let of = |number: Option<usize>| {
            let own = move |(_, row): &(usize, &Row)| number.is_none_or(|number| row.2 % count == number);
            shard(rows.iter().enumerate().filter(own))
        };
        let plan = SearchPlan { facets: facets(page), ..plan(Query::All) };
        let many: Vec<_> = (0..count).map(|number| of(Some(number))).collect();
        prop_assert_eq!(facets_of(&many, &plan), facets_of(&[of(None)], &plan));
    }
}
