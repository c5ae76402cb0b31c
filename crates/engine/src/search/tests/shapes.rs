//! Cursors, groups and collapsing over random documents: what the plain sorted list of all hits says of them.

use plan::{
    Collapse, Cursor, ExpandPlan, GroupBy, GroupPlan, Grouping, NullPolicy, Page, Query, SearchPlan,
    SearchResult, Shape, SortBy, SortKey, Value,
};
use proptest::prelude::*;

use super::brute_force::{Doc, doc, query, shard};
use super::build::{by, plan, search};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;

const EVERYTHING: Page = Page { start: 0, rows: 1000 };

fn run(shard: &Snapshot, plan: &SearchPlan) -> SearchResult {
    search(shard, plan, &SearchCaches::default()).unwrap()
}

/// Fields of every kind of column, one without values, and the score.
fn keys() -> impl Strategy<Value = Vec<SortKey>> {
    let name = prop::sample::select(vec!["c_s", "n_i", "x_d", "f_b", "none_s", "score"]);
    let key = (name, any::<bool>()).prop_map(|(name, descending)| match name {
        "score" => SortKey { by: SortBy::Score, descending },
        name => by(name, descending),
    });
    let score = SortKey { by: SortBy::Score, descending: true };
    prop_oneof![2 => prop::collection::vec(key, 1..3), 1 => Just(vec![score])]
}

fn group_field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["c_s", "n_i", "x_d", "f_b", "none_s"])
}

/// All hits in order.
fn sorted(shard: &Snapshot, query: &Query, sort: &[SortKey]) -> Vec<String> {
    let plan = SearchPlan { sort: sort.to_vec(), page: EVERYTHING, scores: false, ..plan(query.clone()) };
    run(shard, &plan).hits.into_iter().map(|hit| hit.id).collect()
}

fn value_of(docs: &[Doc], id: &str, field: &str) -> Option<Value> {
    docs[id.parse::<usize>().unwrap()].values(field).into_iter().next()
}

/// Ids by group, groups in the order of their first hits.
fn grouped(docs: &[Doc], ids: &[String], field: &str) -> Vec<(Option<Value>, Vec<String>)> {
    let mut groups: Vec<(Option<Value>, Vec<String>)> = Vec::new();
    for id in ids {
        let value = value_of(docs, id, field);
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, ids)) => ids.push(id.clone()),
            None => groups.push((value, vec![id.clone()])),
        }
    }
    groups
}

fn shown(group: &plan::Group) -> Vec<String> {
    group.hits.iter().map(|hit| hit.id.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn pages_behind_marks_are_the_whole(
        docs in prop::collection::vec(doc(), 0..40),
        query in query(),
        mut sort in keys(),
        (rows, id_descending) in (1usize..7, any::<bool>()),
    ) {
        let shard = shard(&docs);
        sort.push(by("id", id_descending));
        let (mut paged, mut after) = (Vec::new(), None);
        loop {
            let shape = Shape { cursor: Some(Cursor { after: after.clone() }), ..Shape::default() };
            let page = Page { start: 0, rows };
            let plan = SearchPlan { sort: sort.clone(), page, shape, scores: false, ..plan(query.clone()) };
            let result = run(&shard, &plan);
            let Some(next) = result.shape.next else { break };
            paged.extend(result.hits.into_iter().map(|hit| hit.id));
            after = Some(next);
        }
        prop_assert_eq!(paged, sorted(&shard, &query, &sort));
    }

    #[test]
    fn a_mark_need_not_be_a_hits(
        docs in prop::collection::vec(doc(), 0..40),
        (word, descending) in ("[a-s]{0,4}", any::<bool>()),
    ) {
        // A field that no document ever had cannot have given a mark its value.
        prop_assume!(docs.iter().any(|doc| !doc.values("c_s").is_empty()));
        let shard = shard(&docs);
        let sort = vec![by("c_s", descending), by("id", false)];
        let mark = vec![Some(Value::Str(word.clone())), Some(Value::Str("~".into()))];
        let shape = Shape { cursor: Some(Cursor { after: Some(mark) }), ..Shape::default() };
        let plan = SearchPlan { sort: sort.clone(), page: EVERYTHING, shape, scores: false, ..plan(Query::All) };
        let got: Vec<String> = run(&shard, &plan).hits.into_iter().map(|hit| hit.id).collect();
        let mut expected = sorted(&shard, &Query::All, &sort);
        // Documents without a value sort as the lowest.
        expected.retain(|id| match value_of(&docs, id, "c_s") {
            Some(Value::Str(color)) => if descending { color < word } else { color > word },
            _ => descending,
        });
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn groups_are_the_lists(
        docs in prop::collection::vec(doc(), 0..40),
        query in query(),
        (sort, within_sort) in (keys(), keys()),
        field in group_field(),
        (groups, within) in ((0usize..3, 0usize..5), (0usize..2, 0usize..4)),
        count_groups in any::<bool>(),
    ) {
        let shard = shard(&docs);
        let groups = Page { start: groups.0, rows: groups.1 };
        let within = Page { start: within.0, rows: within.1 };
        let by = vec![Grouping::new(field, GroupBy::Field(field.into()), within)];
        let grouping =
            GroupPlan { by, groups, sort: within_sort.clone(), count_groups, truncate: false };
        let shape = Shape { groups: Some(grouping), ..Shape::default() };
        let plan = SearchPlan { sort: sort.clone(), shape, ..plan(query.clone()) };
        let result = run(&shard, &plan);
        let all = sorted(&shard, &query, &sort);
        let expected = grouped(&docs, &all, field);
        let one = &result.shape.groups[0];
        let total = count_groups.then_some(expected.len() as u64);
        prop_assert_eq!((one.matches, one.groups_total), (all.len() as u64, total));
        let inside = sorted(&shard, &query, &within_sort);
        let expected: Vec<_> = expected
            .into_iter()
            .skip(groups.start)
            .take(groups.rows)
            .map(|(value, ids)| {
                let members = inside.iter().filter(|id| ids.contains(id)).skip(within.start).take(within.rows);
                (value, ids.len() as u64, members.cloned().collect::<Vec<_>>())
            })
            .collect();
        let got: Vec<_> = one.groups.iter().map(|group| (group.value.clone(), group.total, shown(group))).collect();
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn collapsing_keeps_the_best_and_expanding_finds_the_rest(
        docs in prop::collection::vec(doc(), 0..40),
        query in query(),
        (sort, best) in (keys(), keys()),
        field in group_field(),
        nulls in prop::sample::select(vec![NullPolicy::Ignore, NullPolicy::Expand, NullPolicy::Collapse]),
        rows in 0usize..5,
    ) {
        let shard = shard(&docs);
        let collapse = Collapse { field: field.into(), best: best.clone(), nulls, keep: None, tags: Vec::new() };
        let expand = ExpandPlan {
            field: field.into(),
            query: None,
            filters: None,
            rows: 2,
            sort: sort.clone(),
            nulls: nulls == NullPolicy::Collapse,
        };
        let shape = Shape { collapses: vec![collapse], expand: Some(expand), ..Shape::default() };
        let page = Page { start: 0, rows };
        let plan = SearchPlan { sort: sort.clone(), page, shape, ..plan(query.clone()) };
        let result = run(&shard, &plan);
        let mut kept = Vec::new();
        for (value, ids) in grouped(&docs, &sorted(&shard, &query, &best), field) {
            match (value, nulls) {
                (None, NullPolicy::Ignore) => {}
                (None, NullPolicy::Expand) => kept.extend(ids),
                _ => kept.extend(ids.into_iter().take(1)),
            }
        }
        let all = sorted(&shard, &query, &sort);
        let page: Vec<String> = all.iter().filter(|id| kept.contains(id)).take(rows).cloned().collect();
        prop_assert_eq!(result.total, kept.len() as u64);
        prop_assert_eq!(result.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>(), page.clone());
        let mut expected = Vec::new();
        for (value, ids) in grouped(&docs, &page, field) {
            if value.is_none() && nulls != NullPolicy::Collapse {
                continue;
            }
            let others: Vec<String> = all
                .iter()
                .filter(|id| value_of(&docs, id, field) == value && !ids.contains(id))
                .cloned()
                .collect();
            if !others.is_empty() {
                expected.push((value, others.len() as u64, others.into_iter().take(2).collect::<Vec<_>>()));
            }
        }
        let got: Vec<_> = result.shape.expanded.iter().map(|group| (group.value.clone(), group.total, shown(group))).collect();
        prop_assert_eq!(got, expected);
    }
}
