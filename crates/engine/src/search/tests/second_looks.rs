//! What looks at hits a second time: reasons why a document is none against the hits themselves, first hits
//! in a new order against the scores of both queries, words by which documents are alike.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use meter::Meters;
use plan::{
    LikeChoice, LikeSource, MissKind, MoreLike, Page, Query, Rerank, ScoreJoin, SearchPlan, SearchResult,
    Shape,
};
use proptest::prelude::*;

use super::brute_force::{doc, query, shard};
use super::build::{filter, phrase, plan, search, term};
use super::word_splits::like_terms;
use crate::search::{SearchCaches, why_not};
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

fn run(shard: &Snapshot, plan: &SearchPlan) -> SearchResult {
    search(shard, plan, &SearchCaches::default()).unwrap()
}

fn ids(result: &SearchResult) -> Vec<String> {
    result.hits.iter().map(|hit| hit.id.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_misses_nothing_is_a_hit(
        docs in prop::collection::vec(doc(), 0..20),
        (query, restriction) in (query(), query()),
    ) {
        let shard = shard(&docs);
        let plan = SearchPlan { filters: vec![filter(restriction)], ..plan(query) };
        let hits: BTreeSet<String> = ids(&run(&shard, &plan)).into_iter().collect();
        let all: BTreeSet<String> = ids(&run(&shard, &super::build::plan(Query::All))).into_iter().collect();
        for id in (0..docs.len()).map(|id| id.to_string()) {
            let why = why_not(&shard, &plan, &id, &Meters::default()).unwrap();
            prop_assert_eq!(why.visible, all.contains(&id));
            let passes = why.visible && why.filters.is_empty() && why.query.is_none();
            prop_assert_eq!(passes, hits.contains(&id), "{}: {:?}", id, why);
        }
    }

    #[test]
    fn first_hits_are_sorted_by_both_scores(
        docs in prop::collection::vec(doc(), 0..30),
        (query, other) in (query(), query()),
        (hits, rows) in (1usize..12, 1usize..12),
    ) {
        let shard = shard(&docs);
        let first = run(&shard, &plan(query.clone()));
        let second: BTreeMap<String, f32> = run(&shard, &plan(other.clone()))
            .hits
            .into_iter()
            .filter_map(|hit| Some((hit.id, hit.score?)))
            .collect();
        let rerank = Rerank {
            query: other,
            hits,
            weight: 2.0,
            join: ScoreJoin::Add,
            first_scale: None,
            second_scale: None,
            after_first_key: false,
        };
        let joined = |hit: &plan::Hit| rerank.joined(hit.score.unwrap(), second.get(&hit.id).copied());
        let mut expected: Vec<(u64, f32)> =
            first.hits.iter().take(hits).map(|hit| (hit.place, joined(hit))).collect();
        expected.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
        expected.extend(first.hits.iter().skip(hits).map(|hit| (hit.place, hit.score.unwrap())));
        let page = Page { start: 0, rows };
        let shape = Shape { rerank: Some(rerank.clone()), ..Shape::default() };
        let found = run(&shard, &SearchPlan { page, shape, ..plan(query) });
        let found: Vec<(u64, f32)> = found.hits.iter().map(|hit| (hit.place, hit.score.unwrap())).collect();
        expected.truncate(rows);
        prop_assert_eq!(found, expected);
    }
}

fn films() -> Snapshot {
    let film = |id: &str, title: &str| document(&[("id", vec![text(id)]), ("title_t", vec![text(title)])]);
    let batches = [
        vec![film("1", "red fox jumps red"), film("2", "red fox sleeps")],
        vec![film("3", "blue whale"), film("4", "red whale")],
    ];
    snapshot(&Arc::new(schema()), &batches)
}

#[test]
fn the_rarer_word_is_the_more_telling() {
    let films = films();
    let check = |choice: LikeChoice, expected: &str, found: &[&str]| {
        let choice = LikeChoice { documents_min: 1, ..choice };
        let like = MoreLike {
            collections: vec![],
            schema_version: None,
            of: LikeSource::Document("1".into()),
            fields: vec![("title_t".into(), 1.0), ("nowhere_t".into(), 1.0)],
            choice,
        };
        let terms = like_terms(std::slice::from_ref(&films), &like, &[]).unwrap();
        let shown: Vec<_> = terms.iter().map(|term| term.value.to_text()).collect();
        assert_eq!(shown.join(" "), expected);
        let alike = run(&films, &plan(Query::MoreLike(Box::new(like))));
        assert_eq!(ids(&alike), found, "{expected}");
    };
    let any = || LikeChoice { frequency_min: 1, ..LikeChoice::default() };
    check(any(), "fox jumps red", &["2", "4"]);
    check(LikeChoice::default(), "red", &["4", "2"]);
    check(LikeChoice { terms_max: 1, ..any() }, "red", &["4", "2"]);
    check(LikeChoice { documents_max: 2, ..any() }, "fox jumps", &["2"]);
    check(LikeChoice { length_min: 4, ..any() }, "jumps", &[]);
    check(LikeChoice { tokens_max: 1, ..any() }, "red", &["4", "2"]);
    let nobody = MoreLike {
        collections: vec![],
        schema_version: None,
        of: LikeSource::Document("9".into()),
        fields: vec![],
        choice: any(),
    };
    assert!(like_terms(std::slice::from_ref(&films), &nobody, &[]).is_err());
}

#[test]
fn the_clause_that_decides_is_told() {
    let films = films();
    let nearest = |query: Query| match why_not(&films, &plan(query), "1", &Meters::default())
        .unwrap()
        .query
        .map(|miss| miss.kind)
    {
        Some(MissKind::Absent(absent)) => absent.nearest.map(|(_, nearest)| nearest),
        other => panic!("{other:?}"),
    };
    assert_eq!(nearest(term("title_t", "foxs")).as_deref(), Some("fox"));
    assert_eq!(nearest(term("title_t", "elephant")), None);
    assert_eq!(nearest(phrase("title_t", "red jumpz", 0)).as_deref(), Some("jumps"));
    assert!(!why_not(&films, &plan(Query::All), "9", &Meters::default()).unwrap().visible);
}
