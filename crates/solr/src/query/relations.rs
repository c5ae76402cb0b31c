//! Parsers that find documents by others: `{!parent}` and `{!child}` along blocks, `{!join}` along shared
//! values, `{!graph}` as far as those lead. Messages are Solr's, recorded from 9.10.1. Here they are only
//! read and checked: what leads from which document to which is the engine's, and over several shards the
//! cluster's to gather. The other collection's schema comes through `others.rs`.

use std::sync::Arc;

use plan::{Clause, Error, FieldClass, Graph, Join, Occur, Query, Related, RelatedScore, Result};

use super::context::{Field, Names, QueryContext};
use super::negation::positive;
use super::others::OtherSchema;
use super::request::Request;
use super::syntax::SyntaxError;

/// `{!parent which=… score=… filters=$fqs excludeTags=…}child query`: parents of the documents that match;
/// without a query all parents.
pub(super) fn parent(request: &Request<'_>) -> Result<Option<Query>> {
    let parents = block_parents(request, "which")?;
    // No query at all is not a query that matches nothing: Solr then shows all parents.
    let Some(children) = restricted(request)? else { return Ok(Some(all_of(parents))) };
    let score = request.local.get("score").map_or(Ok(RelatedScore::None), score)?;
    Ok(Some(related(Related::ToParent { parents, children, score })))
}

/// `{!child of=… filters=$fqs excludeTags=…}parent query`: the documents below the parents that match;
/// without a query below any.
pub(super) fn child(request: &Request<'_>) -> Result<Option<Query>> {
    let parents = block_parents(request, "of")?;
    let Some(query) = restricted(request)? else {
        let clauses = vec![
            Clause { occur: Occur::Must, query: Query::All },
            Clause { occur: Occur::MustNot, query: parents },
        ];
        return Ok(Some(all_of(Query::Boolean { clauses, minimum_should_match: 0 })));
    };
    Ok(Some(related(Related::ToChildren { parents, query })))
}

/// `{!join from=… to=… fromIndex=… score=…}query`: the documents that have in `to` what those that match have
/// in `from`, there or in another collection, by whose schema the query is then read.
pub(super) fn join(request: &Request<'_>) -> Result<Option<Query>> {
    let name = |side| {
        let missing = || Error::bad_request(format!("`{{!join}}` has no `{side}`; name a field"));
        request.local.get(side).ok_or_else(missing)
    };
    let (from, to) = (name("from")?, name("to")?);
    check_method(request)?;
    let score = request.local.get("score").map(score).transpose()?;
    let to = joinable(request.context.field_quoted(to)?)?;
    let missing = || Error::bad_request("`{!join}` has no query; write one behind it");
    let other = request.local.get("fromIndex").map(|name| other(request, name)).transpose()?;
    let (from, query) = match &other {
        Some(OtherSchema { name, is_sharded, schema, analyzers }) => {
            // Fields and words on that side are the other collection's, and so is what leads from documents
            // to others there; parameters and bounds stay the request's.
            let sharded = is_sharded.then_some(&**name);
            let names = Names { sharded, together: &[], ..request.context.names };
            let context = QueryContext { schema, analyzers, names, ..*request.context };
            (joinable(context.field_quoted(from)?)?, context.subquery(request.text, None, request.depth + 1)?)
        }
        None => (joinable(request.context.field_quoted(from)?)?, request.nested(request.text, None)?),
    };
    let query = query.map(positive).ok_or_else(missing)?;
    let schema = other.as_ref().map_or(request.context.schema, |other| &other.schema);
    let schema_version = Some(schema.lineage.version);
    // Of several shards each knows its own documents only: all are asked, as another collection is.
    let own = request.context.names.sharded.map(Arc::from);
    let collection = other.map(|other| other.name).or(own);
    Ok(Some(related(Related::Join(Join { collection, schema_version, query, from, to, score }))))
}

/// Solr differs: it joins ranges of dates by the cells of its tree, a year with all that lies in its thousand
/// years (`compat/query/date_ranges.yaml`).
pub(crate) fn joinable(field: Field) -> Result<Arc<str>> {
    if field.spec.class() == FieldClass::DateRange {
        let name = &field.name;
        let message = format!("joins by ranges of dates, such as `{name}`, are not supported; join by dates");
        return Err(Error::bad_request(message));
    }
    Ok(field.name)
}

fn other(request: &Request<'_>, name: &str) -> Result<OtherSchema> {
    let others = request.context.others.ok_or_else(|| {
        Error::bad_request(format!(
            "`fromIndex` of `{{!join}}` is `{name}`: only a search can ask other collections"
        ))
    })?;
    others.find(name)?.ok_or_else(|| Error::bad_request(format!("Cross-core join: no such core {name}")))
}

/// Solr's ways to work a join out; here the plan decides, and only names are checked.
fn check_method(request: &Request<'_>) -> Result<()> {
    match request.local.get("method") {
        None | Some("index" | "topLevelDV") => Ok(()),
        Some("dvWithScore") if request.local.get("score").is_some() => Ok(()),
        // Solr's own words for the missing `score`, which this method reads without looking whether it is
        // there.
        Some("dvWithScore") => Err(SyntaxError::plain("Unable to parse ScoreMode from: null").into()),
        // Solr differs: names it does not know are its own failure, an error 500
        // (`compat/query/relations.yaml`).
        Some(other) => Err(Error::bad_request(format!(
            "`method` of `{{!join}}` is `{other}`; use index, dvWithScore or topLevelDV"
        ))),
    }
}

/// `{!graph from=… to=… traversalFilter=… maxDepth=… returnRoot=… returnOnlyLeaf=…}query`: the documents that
/// match, and those they lead to: `to` holds where a document leads, `from` where it is led to.
pub(super) fn graph(request: &Request<'_>) -> Result<Option<Query>> {
    let node = request.context.field_quoted(request.local.get("from").unwrap_or("node_id"))?;
    let edges = request.context.field_quoted(request.local.get("to").unwrap_or("edge_ids"))?;
    for field in [&node, &edges] {
        // Edges are met by exact values; a text has only words. Solr refuses these classes too.
        let class = field.spec.class();
        if class.is_text() || matches!(class, FieldClass::Bool | FieldClass::DateRange) {
            let message = format!("FieldType for field={} not supported", field.name);
            return Err(SyntaxError::plain(message).into());
        }
    }
    let flag = |name, default| match request.local.get(name) {
        Some(text) => matches!(text, "true" | "on" | "yes"),
        None => default,
    };
    let depth = request.local.get("maxDepth").map(crate::params::integer).transpose()?;
    let filter = request.local.get("traversalFilter").map(|text| request.nested(text, None)).transpose()?;
    let query = request.nested(request.text, None)?.map_or(Query::Nothing, positive);
    let graph = Graph {
        collection: request.context.names.sharded.map(Arc::from),
        node: node.name,
        edges: edges.name,
        filter: filter.flatten().map(positive),
        steps_max: depth.and_then(|depth| u32::try_from(depth).ok()),
        with_roots: flag("returnRoot", true),
        only_leaves: flag("returnOnlyLeaf", false),
    };
    Ok(Some(related(Related::Graph { query, graph })))
}

fn related(relation: Related) -> Query {
    Query::Related(Box::new(relation))
}

fn all_of(query: Query) -> Query {
    Query::ConstantScore { query: Box::new(query), score: 1.0 }
}

/// Which documents are parents. Solr differs: without a query there it is a null pointer, an error 500
/// (`compat/query/relations.yaml`).
fn block_parents(request: &Request<'_>, name: &str) -> Result<Query> {
    let text = request.local.get(name).unwrap_or_default();
    let query = request.nested(text, None)?.map(positive);
    query.ok_or_else(|| {
        let parser = request.local.get("type").unwrap_or_default();
        Error::bad_request(format!("`{{!{parser}}}` has no `{name}`; give a query that finds all parents"))
    })
}

/// The query at hand and its `filters`, but for those whose tags are excluded; `None` when there is neither.
fn restricted(request: &Request<'_>) -> Result<Option<Query>> {
    let main = request.nested(request.text, None)?.map(positive);
    let mut clauses: Vec<_> = main.into_iter().map(|query| Clause { occur: Occur::Must, query }).collect();
    for text in request.local.all("filters") {
        let Some(query) = request.untagged(text)? else { continue };
        let query = query.map_or(Query::Nothing, positive);
        clauses.push(Clause { occur: Occur::Filter, query });
    }
    Ok((!clauses.is_empty()).then_some(Query::Boolean { clauses, minimum_should_match: 0 }))
}

fn score(text: &str) -> Result<RelatedScore> {
    let modes = [
        RelatedScore::None,
        RelatedScore::Average,
        RelatedScore::Max,
        RelatedScore::Min,
        RelatedScore::Total,
    ];
    let found = modes.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| SyntaxError::plain(format!("Unable to parse ScoreMode from: {text}")).into())
}
