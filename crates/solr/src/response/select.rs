//! The body of a search's answer: the page, facet counts, the debug section.

use std::sync::Arc;

use plan::{Explanation, Highlights, Schema, SearchResult};

use super::buckets::bucket;
use super::documents::doc_list;
use super::explain;
use super::facets::facet_counts;
use super::groups;
use super::node::{Entries, Name, Node};
use super::stats::stats;
use crate::select::{Alternative, DebugFlags, DebugQuery, DismaxNotes, ResponsePlan, write_mark};

/// Search components in the order Solr runs and shows them.
const COMPONENTS: [&str; 9] =
    ["query", "facet", "facet_module", "mlt", "highlight", "stats", "expand", "terms", "debug"];

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    pub result: SearchResult,
    /// Whether facet counts were asked for.
    pub facets: bool,
    /// The documents of `explainOther`, by id.
    pub explained_other: Vec<(String, Explanation)>,
}

/// What follows the header. `elapsed_ms` is shown as the query's time.
pub fn select(found: Found, response: &ResponsePlan, schema: &Schema, elapsed_ms: u64) -> Entries {
    let Found { mut result, facets, explained_other } = found;
    let explained = response.debug.results.then(|| explanations(&result, response.debug));
    let plan::ShapeResult { next, groups, expanded } = std::mem::take(&mut result.shape);
    let mut entries = match &response.groups {
        Some(view) => groups::grouped(groups, view, &response.fields, schema),
        None => {
            let page = doc_list(&mut result, response.start, &response.fields, schema);
            vec![("response".into(), Node::DocList(page))]
        }
    };
    if let Some(sent) = &response.cursor_mark {
        let next = next.map_or_else(|| sent.clone(), |mark| write_mark(&mark));
        entries.push(("nextCursorMark".into(), Node::Str(next.into())));
    }
    let (tree, statistics) = (result.facets.tree.take(), result.facets.stats.take());
    if facets {
        entries.push(("facet_counts".into(), facet_counts(std::mem::take(&mut result.facets))));
    }
    entries.extend(tree.map(|tree| ("facets".into(), bucket(tree))));
    if response.highlights {
        entries.push(("highlighting".into(), highlighting(std::mem::take(&mut result.highlights))));
    }
    entries.extend(statistics.map(|statistics| ("stats".into(), stats(statistics))));
    if response.expands {
        entries.push(("expanded".into(), groups::expanded(expanded, &response.fields, schema)));
    }
    if response.debug.any() {
        let other = others(explained_other, response);
        entries.push(("debug".into(), debug(response, explained, other, elapsed_ms)));
    }
    entries
}

/// By id, then by field.
fn highlighting(found: Vec<Highlights>) -> Node {
    let list = |texts: Vec<String>| Node::Array(texts.into_iter().map(Node::from).collect());
    let fields = |fields: Vec<(Arc<str>, Vec<String>)>| {
        let fields = fields.into_iter();
        Node::Map(fields.map(|(name, texts)| (Name::Owned(name.to_string()), list(texts))).collect())
    };
    Node::Map(found.into_iter().map(|one| (Name::Owned(one.id), fields(one.fields))).collect())
}

/// By id. As text each begins on a line of its own.
fn explanations(result: &SearchResult, debug: DebugFlags) -> Node {
    let grouped = result.shape.groups.iter().flat_map(|one| &one.groups).flat_map(|group| &group.hits);
    let shown =
        result.hits.iter().chain(grouped).filter_map(|hit| {
            Some((Name::Owned(hit.id.clone()), explanation(hit.explanation.as_ref()?, debug)))
        });
    Node::Map(shown.collect())
}

fn explanation(found: &Explanation, debug: DebugFlags) -> Node {
    match debug.structured {
        true => explain::tree(found),
        false => Node::Str(format!("\n{}", explain::text(found)).into()),
    }
}

/// What `explainOther` adds.
fn others(explained: Vec<(String, Explanation)>, response: &ResponsePlan) -> Entries {
    let Some(other) = &response.explain_other else { return vec![] };
    let shown = explained.into_iter().map(|(id, found)| (id.into(), explanation(&found, response.debug)));
    vec![
        ("otherQuery".into(), Node::Str(other.text.clone().into())),
        ("explainOther".into(), Node::Map(shown.collect())),
    ]
}

fn debug(response: &ResponsePlan, explained: Option<Node>, other: Entries, elapsed_ms: u64) -> Node {
    let mut entries = Entries::new();
    if let Some(query) = &response.debug_query {
        let text = || optional(query.text.as_deref());
        entries.push(("rawquerystring".into(), text()));
        entries.push(("querystring".into(), text()));
        entries.push(("parsedquery".into(), optional(query.parsed.as_deref())));
        entries.push(("parsedquery_toString".into(), optional(query.parsed_to_string.as_deref())));
    }
    entries.extend(explained.map(|node| (Name::Borrowed("explain"), node)));
    entries.extend(other);
    if let Some(query) = &response.debug_query {
        parsed_by(query, &mut entries);
    }
    if response.debug.timing {
        entries.push(("timing".into(), timing(elapsed_ms)));
    }
    Node::Map(entries)
}

fn parsed_by(query: &DebugQuery, entries: &mut Entries) {
    let list = |texts: &[String]| Node::Array(texts.iter().cloned().map(Node::from).collect());
    entries.extend(query.json.clone().map(|json| (Name::Borrowed("json"), Node::from(json))));
    entries.push(("QParser".into(), optional(query.parser)));
    entries.extend(query.notes.as_ref().map(dismax).into_iter().flatten());
    if !query.filters.is_empty() {
        entries.push(("filter_queries".into(), list(&query.filters)));
        entries.push(("parsed_filter_queries".into(), list(&query.parsed_filters)));
    }
}

/// What Solr's parsers over many fields show of themselves.
fn dismax(notes: &DismaxNotes) -> Entries {
    let list = |texts: &[String]| Node::Array(texts.iter().cloned().map(Node::from).collect());
    let sent = |texts: &Option<Vec<String>>| texts.as_deref().map_or(Node::Null, list);
    let alternative = match &notes.alternative {
        None => Node::Null,
        Some(Alternative::One(text)) => Node::from(text.clone()),
        Some(Alternative::Several(texts)) => list(texts),
    };
    let mut entries: Entries = vec![("altquerystring".into(), alternative)];
    if let Some((texts, parsed)) = &notes.boosts {
        entries.push(("boost_queries".into(), sent(texts)));
        entries.push(("parsed_boost_queries".into(), list(parsed)));
    }
    entries.push(("boostfuncs".into(), sent(&notes.functions)));
    entries
}

fn optional(text: Option<&str>) -> Node {
    text.map_or(Node::Null, |text| Node::Str(text.to_owned().into()))
}

/// Components do not run one by one here: the whole time is the query's.
fn timing(elapsed_ms: u64) -> Node {
    let elapsed = elapsed_ms as f64;
    let phase = |time: f64| {
        let mut entries: Entries = vec![("time".into(), Node::Double(time))];
        for component in COMPONENTS {
            let share = if component == "query" { time } else { 0.0 };
            entries.push((component.into(), Node::map([("time", Node::Double(share))])));
        }
        Node::Map(entries)
    };
    Node::map([("time", Node::Double(elapsed)), ("prepare", phase(0.0)), ("process", phase(elapsed))])
}
