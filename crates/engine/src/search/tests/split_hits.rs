//! Laws of hits: a collection's documents, split over shards in any way, give the page that one shard with
//! all of them gives, by the road that a collection goes (`cluster::search_shards`); and their parts merge in
//! any order and grouping. The one shard has its documents in the order of the shards, so that ties have to
//! end alike. Left out is Solr's `_docid_`, which is an order of each shard. Documents of a group need not be
//! together, as they have to be in Solr where hits are collapsed.

use std::sync::Arc;

use cluster::ShardSnapshot;
use meter::Meters;
use plan::partial::ShardResult;
use plan::{
    BucketPlan, Collapse, Cursor, CutDepth, DomainChange, ExpandPlan, FacetPlan, FieldClass, FieldFacet,
    Filter, Function, GroupBy, GroupListing, GroupPlan, Grouping, NullPolicy, Page, Query, Rerank, ScoreJoin,
    SearchPlan, SearchResult, Shape, SortBy, SortKey, SubFacet, SubFacetKind,
};
use proptest::prelude::*;

use super::brute_force::{Doc, doc, numbered_shard, query};
use super::build::{Pinned, by, merged, plan};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;

/// Shards, and all their documents in one, in the same order.
struct Split {
    shards: Vec<Snapshot>,
    one: Snapshot,
}

impl Split {
    /// Of documents, each with its shard.
    fn of(docs: &[(Doc, usize)], count: usize) -> Self {
        let mut parts: Vec<Vec<(usize, &Doc)>> = vec![Vec::new(); count];
        for (id, (doc, at)) in docs.iter().enumerate() {
            parts[at % count].push((id, doc));
        }
        let one = numbered_shard(&parts.concat());
        Self { shards: parts.iter().map(|part| numbered_shard(part)).collect(), one }
    }

    /// That the shards together show what the one shows.
    fn check(&self, plan: &SearchPlan) -> Result<(), TestCaseError> {
        let many = search(&self.shards.iter().collect::<Vec<_>>(), plan);
        prop_assert_eq!(shown(many), shown(search(&[&self.one], plan)));
        Ok(())
    }

    /// That their parts finish to the same, in whichever order and grouping they merge.
    fn check_merges(&self, plan: &SearchPlan, pairs: &[usize]) -> Result<(), TestCaseError> {
        let facets = FacetPlan { depth: CutDepth::Whole, ..plan.facets.clone() };
        let shape = plan.shape.listing_groups(|| GroupListing::Leading);
        let plan = SearchPlan { facets, shape, ..plan.clone() };
        let parts = || -> Vec<ShardResult> {
            let part = |shard| {
                crate::search::search(shard, &plan, &SearchCaches::default(), &Meters::default()).unwrap()
            };
            (0..).zip(&self.shards).map(|(number, shard)| part(shard).of_shard(number)).collect()
        };
        let finished =
            |pairs| format!("{:?}", cluster::finish_search(&plan, merged(parts().into_iter(), pairs)));
        prop_assert_eq!(finished(pairs), finished(&[]));
        Ok(())
    }
}

fn search(shards: &[&Snapshot], plan: &SearchPlan) -> SearchResult {
    let caches: Vec<_> = shards.iter().map(|_| SearchCaches::default()).collect();
    let pins = shards.iter().zip(&caches);
    let pins: Vec<Arc<dyn ShardSnapshot + '_>> =
        pins.map(|(snapshot, caches)| Arc::new(Pinned::new(snapshot, caches)) as _).collect();
    cluster::search_shards(&pins, plan, &Meters::default()).unwrap()
}

/// A result without what is a shard's own: the numbers of documents. As text, where what is no number equals
/// itself.
fn shown(mut result: SearchResult) -> String {
    let groups = result.shape.groups.iter_mut().flat_map(|one| &mut one.groups);
    let grouped = groups.chain(&mut result.shape.expanded).flat_map(|group| &mut group.hits);
    result.hits.iter_mut().chain(grouped).for_each(|hit| (hit.shard, hit.place) = (0, 0));
    result.by_shard.clear();
    format!("{result:#?}")
}

fn number() -> Function {
    Function::Field { field: "n_i".into(), class: FieldClass::Int, pick: None }
}

/// A query whose scores are the documents' own.
fn scored() -> impl Strategy<Value = Query> {
    query().prop_map(|query| {
        let query = Box::new(Query::ConstantScore { query: Box::new(query), score: 1.0 });
        Query::FunctionBoost { query, function: Box::new(number()) }
    })
}

/// Of every kind of column, one without values, one that few documents have, functions, scores, a shuffle.
fn keys() -> impl Strategy<Value = Vec<SortKey>> {
    let name = prop::sample::select(vec![
        "c_s", "n_i", "x_d", "f_b", "m_is", "none_s", "none_i", "a_t", "score", "random", "function",
    ]);
    let key = (name, any::<bool>()).prop_map(|(name, descending)| match name {
        "score" => SortKey { by: SortBy::Score, descending },
        "random" => SortKey { by: SortBy::Random { seed: 7 }, descending },
        "function" => SortKey { by: SortBy::Function(number()), descending },
        name => by(name, descending),
    });
    let score = SortKey { by: SortBy::Score, descending: true };
    prop_oneof![3 => prop::collection::vec(key, 1..3), 1 => Just(vec![score])]
}

fn page() -> impl Strategy<Value = Page> {
    (0usize..6, 0usize..6).prop_map(|(start, rows)| Page { start, rows })
}

fn rerank() -> impl Strategy<Value = Rerank> {
    (scored(), 1usize..8, any::<bool>()).prop_map(|(query, hits, stretched)| {
        let scale = stretched.then_some((1.0, 5.0));
        Rerank {
            query,
            hits,
            weight: 2.0,
            join: ScoreJoin::Add,
            first_scale: scale,
            second_scale: scale,
            after_first_key: false,
        }
    })
}

fn group_by() -> impl Strategy<Value = GroupBy> {
    prop_oneof![
        4 => group_field().prop_map(|field| GroupBy::Field(field.into())),
        1 => Just(GroupBy::Function(number())),
        1 => query().prop_map(GroupBy::Query),
    ]
}

fn collapse() -> impl Strategy<Value = Collapse> {
    let nulls = prop::sample::select(vec![NullPolicy::Ignore, NullPolicy::Expand, NullPolicy::Collapse]);
    let tags = prop::sample::select(vec![Vec::new(), vec!["u".to_owned()]]);
    let parts = (group_field(), keys(), nulls, tags);
    parts.prop_map(|(field, best, nulls, tags)| Collapse {
        field: field.into(),
        best,
        nulls,
        keep: None,
        tags,
    })
}

fn group_field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["c_s", "n_i", "x_d", "f_b", "none_s"])
}

fn docs() -> impl Strategy<Value = Vec<(Doc, usize)>> {
    prop::collection::vec((doc(), 0usize..7), 0..40)
}

fn pairs() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..7, 6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shards_together_page_as_one_does(
        (docs, count, pairs) in (docs(), 1usize..8, pairs()),
        (query, sort, page, scores) in (scored(), keys(), page(), any::<bool>()),
        rerank in prop::option::weighted(0.3, rerank()),
    ) {
        let split = Split::of(&docs, count);
        let shape = Shape { rerank, ..Shape::default() };
        let functions = vec![number()];
        let plan = SearchPlan { sort, page, scores, shape, functions, ..plan(query) };
        split.check(&plan)?;
        split.check_merges(&plan, &pairs)?;
    }

    /// By BM25, which depends on how many documents there are in all shards.
    #[test]
    fn shards_together_score_as_one_does(
        (docs, count) in (docs(), 1usize..8),
        (query, filter) in (query(), query()),
        page in page(),
    ) {
        let split = Split::of(&docs, count);
        let sort = vec![SortKey { by: SortBy::Score, descending: true }];
        let filters = vec![super::build::filter(filter)];
        split.check(&SearchPlan { sort, page, filters, scores: true, ..plan(query) })?;
    }

    #[test]
    fn marks_lead_through_all_shards(
        (docs, count) in (docs(), 1usize..8),
        (query, mut sort) in (scored(), keys()),
        (rows, id_descending) in (1usize..7, any::<bool>()),
    ) {
        let split = Split::of(&docs, count);
        sort.push(by("id", id_descending));
        let mut after = None;
        loop {
            let shape = Shape { cursor: Some(Cursor { after }), ..Shape::default() };
            let page = Page { start: 0, rows };
            let plan = SearchPlan { sort: sort.clone(), page, shape, ..plan(query.clone()) };
            split.check(&plan)?;
            after = search(&[&split.one], &plan).shape.next;
            if after.is_none() {
                break;
            }
        }
    }

    #[test]
    fn shards_together_group_as_one_does(
        (docs, count, pairs) in (docs(), 1usize..8, pairs()),
        (query, sort, within_sort) in (scored(), keys(), keys()),
        (by, groups, within) in (prop::collection::vec(group_by(), 1..3), page(), page()),
        (count_groups, scores) in (any::<bool>(), any::<bool>()),
    ) {
        let split = Split::of(&docs, count);
        let by = by.into_iter().map(|by| Grouping::new("", by, within)).collect();
        let groups = GroupPlan { by, groups, sort: within_sort, count_groups, truncate: false };
        let shape = Shape { groups: Some(groups), ..Shape::default() };
        let plan = SearchPlan { sort, scores, shape, ..plan(query) };
        split.check(&plan)?;
        split.check_merges(&plan, &pairs)?;
    }

    /// Where shards are asked for no hits beyond the first of each group.
    #[test]
    fn shards_together_show_the_best_of_groups_as_one_does(
        (docs, count, query) in (docs(), 1usize..8, scored()),
        (by, groups, within) in (prop::collection::vec(group_by(), 1..3), page(), 0usize..3),
        (count_groups, scores) in (any::<bool>(), any::<bool>()),
    ) {
        let sort = vec![SortKey { by: SortBy::Score, descending: true }];
        let within = [(0, 0), (0, 1), (1, 0)].map(|(start, rows)| Page { start, rows })[within];
        let by = by.into_iter().map(|by| Grouping::new("", by, within)).collect();
        let groups = GroupPlan { by, groups, sort: sort.clone(), count_groups, truncate: false };
        let shape = Shape { groups: Some(groups), ..Shape::default() };
        Split::of(&docs, count).check(&SearchPlan { sort, scores, shape, ..plan(query) })?;
    }

    #[test]
    fn shards_together_collapse_and_expand_as_one_does(
        (docs, count) in (docs(), 1usize..8),
        (query, sort, others) in (scored(), keys(), prop::option::of(scored())),
        (field, page) in (group_field(), page()),
        collapses in prop::collection::vec(collapse(), 0..2),
    ) {
        let split = Split::of(&docs, count);
        let expand = ExpandPlan {
            field: field.into(),
            query: others,
            filters: None,
            rows: 2,
            sort: sort.clone(),
            nulls: collapses.iter().any(|one| one.nulls == NullPolicy::Collapse),
        };
        let shape = Shape { collapses, expand: Some(expand), ..Shape::default() };
        split.check(&SearchPlan { sort, page, shape, ..plan(query) })?;
    }
    /// Of the search, and anew of what a facet counts over without a filter or a collapse.
    #[test]
    fn shards_together_leave_the_heads_that_one_leaves(
        (docs, count) in (docs(), 1usize..8),
        (query, filter, sort, within) in (scored(), query(), keys(), keys()),
        collapses in prop::collection::vec(collapse(), 0..3),
        (by, truncate) in (prop::option::of(group_by()), any::<bool>()),
    ) {
        let split = Split::of(&docs, count);
        let group = |by| GroupPlan {
            by: vec![Grouping::new("", by, Page { start: 0, rows: 2 })],
            groups: Page { start: 0, rows: 9 },
            sort: within,
            count_groups: true,
            truncate,
        };
        let shape = Shape { collapses, groups: by.map(group), ..Shape::default() };
        let filters = vec![Filter { tags: vec!["t".into()], ..super::build::filter(filter) }];
        let counted = |tags: &[&str]| FieldFacet {
            missing: true,
            exclude_tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..FieldFacet::of(&"e_ss".into())
        };
        let below = |tags: &[&str]| SubFacet {
            key: "below".into(),
            domain: DomainChange { exclude_tags: counted(tags).exclude_tags, ..DomainChange::default() },
            kind: SubFacetKind::Query(None),
            below: BucketPlan::default(),
        };
        let facets = FacetPlan {
            enabled: true,
            fields: vec![counted(&[]), counted(&["t"]), counted(&["u"]), counted(&["t", "u"]), counted(&["z"])],
            tree: Some(BucketPlan { facets: vec![below(&["t"]), below(&["u"])], ..BucketPlan::default() }),
            ..FacetPlan::default()
        };
        split.check(&SearchPlan { sort, filters, shape, facets, page: Page { start: 0, rows: 9 }, ..plan(query) })?;
    }
}

/// One seed shuffles the same documents the same way, wherever they are and whatever is beside them.
#[test]
fn a_shuffle_is_of_ids() {
    let blank = Doc::default();
    let docs: Vec<(usize, &Doc)> = (0..20).map(|id| (id, &blank)).collect();
    let order = |docs: &[(usize, &Doc)], seed| -> Vec<String> {
        let sort = vec![SortKey { by: SortBy::Random { seed }, descending: false }];
        let plan = SearchPlan { sort, ..plan(Query::All) };
        search(&[&numbered_shard(docs)], &plan).hits.into_iter().map(|hit| hit.id).collect()
    };
    let reversed: Vec<_> = docs.iter().rev().cloned().collect();
    assert_eq!(order(&docs, 1), order(&reversed, 1));
    assert_ne!(order(&docs, 1), order(&docs, 2));
    let ids: Vec<String> = docs.iter().map(|(id, _)| format!("{id:03}")).collect();
    assert_ne!(order(&docs, 1), ids);
}
