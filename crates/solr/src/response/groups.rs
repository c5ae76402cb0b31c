//! Hits in groups, and the members of collapsed groups, as Solr's response shows them. In: finished groups,
//! cut and ordered by `cluster`, and how they are wanted; out: nodes in the place of the hits, or behind
//! them.

use std::collections::HashSet;

use plan::{Group, GroupedResult, Hit, Schema};

use super::columns::Columns;
use super::documents::list;
use super::node::{DocList, Entries, Node};
use crate::select::{FieldList, GroupForm, GroupTitle, GroupView};

/// What stands in the place of the response.
pub fn grouped(found: Vec<GroupedResult>, view: &GroupView, fields: &FieldList, schema: &Schema) -> Entries {
    let mut shown = found.into_iter().zip(&view.titles);
    if view.form == GroupForm::Main {
        // Solr makes a list of each grouping, and shows the last.
        let list = shown.next_back().map(|(one, title)| flat(one, title, view, (fields, schema)));
        return vec![("response".into(), Node::DocList(list.unwrap_or_default()))];
    }
    let groupings = shown.map(|(one, title)| {
        let mut entries: Entries = vec![("matches".into(), Node::count(one.matches))];
        match (view.form, title.is_query) {
            (GroupForm::Grouped, false) => {
                entries.extend(one.groups_total.map(|total| ("ngroups".into(), Node::count(total))));
                let groups = one.groups.into_iter().map(|group| valued(group, title, fields, schema));
                entries.push(("groups".into(), Node::Array(groups.collect())));
            }
            (GroupForm::Grouped, true) => {
                let group = one.groups.into_iter().next();
                let list = group.map(|group| members(group, title.start, fields, schema));
                entries.push(("doclist".into(), Node::DocList(list.unwrap_or_default())));
            }
            (GroupForm::Simple | GroupForm::Main, _) => {
                if !title.is_query {
                    entries.extend(one.groups_total.map(|total| ("ngroups".into(), Node::count(total))));
                }
                entries.push(("doclist".into(), Node::DocList(flat(one, title, view, (fields, schema)))));
            }
        }
        (title.key.clone().into(), Node::Map(entries))
    });
    vec![("grouped".into(), Node::Map(groupings.collect()))]
}

/// The ids of the hits that lists of all groups show.
pub fn listed(found: &[GroupedResult], view: &GroupView) -> HashSet<String> {
    let ids = |one: &GroupedResult| {
        let hits = one.groups.iter().flat_map(|group| &group.hits);
        let page = hits.skip(view.page.start).take(view.page.rows);
        page.map(|hit| hit.id.clone()).collect::<Vec<_>>()
    };
    let first = if view.form == GroupForm::Main { found.len().saturating_sub(1) } else { 0 };
    found.iter().skip(first).flat_map(ids).collect()
}

/// Groups by the text of their values.
pub fn expanded(groups: Vec<Group>, fields: &FieldList, schema: &Schema) -> Node {
    let shown = groups.into_iter().map(|group| {
        let key = group.value.as_ref().map(|value| value.to_text()).unwrap_or_default();
        (key.into(), Node::DocList(members(group, 0, fields, schema)))
    });
    Node::Groups(shown.collect())
}

fn valued(mut group: Group, title: &GroupTitle, fields: &FieldList, schema: &Schema) -> Node {
    let value = group.value.take().map_or(Node::Null, Node::from);
    let members = members(group, title.start, fields, schema);
    Node::map([("groupValue", value), ("doclist", Node::DocList(members))])
}

fn members(group: Group, start: usize, fields: &FieldList, schema: &Schema) -> DocList {
    let docs = list(group.hits, fields, schema);
    DocList {
        num_found: group.total,
        start: start as u64,
        // Where there is no hit, Lucene's best score is no number.
        max_score: fields.scores().then(|| group.score_max.unwrap_or(f32::NAN)),
        num_found_exact: true,
        docs,
        columns: Box::new(Columns::of(fields)),
    }
}

/// The hits of all groups, cut to the page.
fn flat(
    found: GroupedResult,
    title: &GroupTitle,
    view: &GroupView,
    (fields, schema): (&FieldList, &Schema),
) -> DocList {
    let best = found.groups.iter().filter_map(|group| group.score_max).reduce(f32::max);
    let total = found.groups.first().filter(|_| title.is_query).map_or(found.matches, |group| group.total);
    let hits = found.groups.into_iter().flat_map(|group| group.hits);
    let hits: Vec<Hit> = hits.skip(view.page.start).take(view.page.rows).collect();
    DocList {
        num_found: total,
        start: view.page.start as u64,
        max_score: fields.scores().then(|| best.unwrap_or(f32::NAN)),
        num_found_exact: true,
        docs: list(hits, fields, schema),
        columns: Box::new(Columns::of(fields)),
    }
}
