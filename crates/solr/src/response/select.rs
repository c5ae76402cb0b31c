//! The body of a search's answer: the page, facet counts, the debug section. In: a finished result and what
//! the request wants shown; out: entries in the order of the handler's components, among them those that its
//! steps bring.

use std::sync::Arc;

use meter::{Phase, Traced};
use plan::{Component, Explanation, Highlights, Schema, SearchResult};

use super::buckets::bucket;
use super::documents::doc_list;
use super::explain;
use super::facets::facet_counts;
use super::groups;
use super::node::{DocList, Entries, Name, Node};
use super::stats::stats;
use crate::select::{Alternative, DebugFlags, DebugQuery, DismaxNotes, GroupForm, ResponsePlan, write_mark};
use crate::slow;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    pub result: SearchResult,
    /// Whether facet counts were asked for.
    pub facets: bool,
    /// What stands behind the fields of each hit.
    pub columns: Vec<Vec<(String, DocList)>>,
    /// The documents of `explainOther`, by id.
    pub explained_other: Vec<(String, Explanation)>,
    /// How the likes of each hit were found.
    pub likes_explained: Option<Node>,
    /// Of components that are not answered by the search, by their names.
    pub sections: Vec<(String, Entries)>,
    /// Where the time went, where that is shown.
    pub traced: Option<Traced>,
}

/// What follows the header: the section of each of the handler's components, in order. `elapsed_ms` is shown
/// as the query's time.
pub fn select(
    found: Found,
    response: &ResponsePlan,
    schema: &Schema,
    components: &[Component],
    elapsed_ms: u64,
) -> Entries {
    let Found { mut result, facets, columns, explained_other, likes_explained, mut sections, traced } = found;
    let explained = response.debug.results.then(|| explanations(&result, response.debug));
    let plan::ShapeResult { next, groups, expanded } = std::mem::take(&mut result.shape);
    if let Some(view) = response.groups.as_ref().filter(|view| view.form != GroupForm::Grouped) {
        let shown = groups::listed(&groups, view);
        result.highlights.retain(|one| shown.contains(&one.id));
    }
    let mut hits = match &response.groups {
        Some(view) => groups::grouped(groups, view, &response.fields, schema),
        None => {
            let mut page = doc_list(&mut result, response.start, &response.fields, schema);
            page.add_columns(columns);
            vec![("response".into(), Node::DocList(page))]
        }
    };
    if let Some(sent) = &response.cursor_mark {
        let next = next.map_or_else(|| sent.clone(), |mark| write_mark(&mark));
        hits.push(("nextCursorMark".into(), Node::Str(next.into())));
    }
    let (tree, statistics) = (result.facets.tree.take(), result.facets.stats.take());
    let counts = facets.then(|| facet_counts(std::mem::take(&mut result.facets)));
    let marked = std::mem::take(&mut result.highlights);
    let snippets = response.highlights.then(|| highlighting(marked));
    let expanded = response.expands.then(|| groups::expanded(expanded, &response.fields, schema));
    let debug = response.debug.any().then(|| {
        let mut other = others(explained_other, response);
        other.extend(likes_explained.map(|node| (Name::Borrowed("moreLikeThis"), node)));
        let timing = response.debug.timing.then(|| timing(components, elapsed_ms, traced.as_ref()));
        debug(response, explained, other, timing)
    });
    let one = |name: &'static str, node: Option<Node>| node.map(|node| (Name::Borrowed(name), node));
    let section = |component: Component, node| (component.name().to_owned(), Entries::from_iter(node));
    sections.extend([
        section(Component::Facet, one("facet_counts", counts)),
        section(Component::FacetModule, one("facets", tree.map(bucket))),
        section(Component::Highlight, one("highlighting", snippets)),
        section(Component::Stats, one("stats", statistics.map(stats))),
        section(Component::Expand, one("expanded", expanded)),
        // Solr differs: it also tells by which method it counted facets (`compat/query/catalogue.yaml`).
        section(Component::Debug, one("debug", debug)),
        (Component::Query.name().to_owned(), hits),
    ]);
    in_order(sections, components)
}

/// The sections of the components that there are, in their order.
pub fn in_order(mut sections: Vec<(String, Entries)>, components: &[Component]) -> Entries {
    let take = |component: &Component| {
        let section = sections.iter_mut().find(|(name, _)| name == component.name());
        section.map(|(_, entries)| std::mem::take(entries)).unwrap_or_default()
    };
    components.iter().flat_map(take).collect()
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

/// Solr differs: it also shows counters and timings of its own joins and ways to count
/// (`compat/select/debug_sections.yaml`).
fn debug(response: &ResponsePlan, explained: Option<Node>, other: Entries, timing: Option<Node>) -> Node {
    let mut entries = Entries::new();
    if let Some(query) = &response.debug_query {
        let text = || optional(query.text.as_deref());
        entries.push(("rawquerystring".into(), text()));
        entries.push(("querystring".into(), text()));
        entries.push(("parsedquery".into(), optional(Some(&query.parsed))));
        entries.push(("parsedquery_toString".into(), optional(Some(&query.parsed_to_string))));
    }
    entries.extend(explained.map(|node| (Name::Borrowed("explain"), node)));
    entries.extend(other);
    if let Some(query) = &response.debug_query {
        parsed_by(query, &mut entries);
    }
    entries.extend(timing.map(|node| (Name::Borrowed("timing"), node)));
    Node::Map(entries)
}

fn parsed_by(query: &DebugQuery, entries: &mut Entries) {
    let list = |texts: &[String]| Node::Array(texts.iter().cloned().map(Node::from).collect());
    entries.extend(query.json.clone().map(|json| (Name::Borrowed("json"), Node::from(json))));
    entries.push(("QParser".into(), Node::str(query.parser)));
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

/// Solr's sections, and behind them phase by phase what the threads did. Where nothing was traced the whole
/// time is the query's.
fn timing(components: &[Component], elapsed_ms: u64, traced: Option<&Traced>) -> Node {
    let whole =
        |time: f64| move |component: &Component| if *component == Component::Query { time } else { 0.0 };
    let section = |share: &dyn Fn(&Component) -> f64| {
        let shares: Vec<f64> = components.iter().map(share).collect();
        let one = |(component, share): (&Component, &f64)| {
            (Name::Owned(component.name().to_owned()), Node::map([("time", Node::Double(*share))]))
        };
        let total = ("time".into(), Node::Double(shares.iter().sum()));
        Node::Map([total].into_iter().chain(components.iter().zip(&shares).map(one)).collect())
    };
    let Some(traced) = traced else {
        let elapsed = elapsed_ms as f64;
        let (prepare, process) = (section(&whole(0.0)), section(&whole(elapsed)));
        return Node::map([("time", Node::Double(elapsed)), ("prepare", prepare), ("process", process)]);
    };
    let prepared = slow::phase_ms(traced, Phase::Prepare);
    Node::map([
        ("time", Node::Double(traced.wall_ns as f64 / 1e6)),
        ("prepare", section(&whole(prepared))),
        ("process", section(&|component| slow::component_ms(traced, component))),
        ("total", slow::total(traced)),
        ("phases", slow::phases(traced)),
    ])
}
