//! `hl`: which query is marked in which fields. How each field is cut and marked is `highlight_options.rs`.
//! Messages are Solr's, recorded from 9.10.1. In: the query as parsed, without what only adds to scores; out:
//! `plan::HighlightPlan` with the options of each field. Fields that a pattern names are known to the engine
//! alone, so these get two sets of options to choose from.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan::{Error, GlobbedOptions, HighlightField, HighlightParts, HighlightPlan, Query, Result};

use super::highlight_options::Options;
use crate::params::{Params, fields_with, highlight as param, query};
use crate::query::{ParsedQuery, QueryContext, parse_query};

/// How what `query` looks for is marked.
pub(super) fn resolve_highlight(
    context: &QueryContext<'_>,
    parts: &HighlightParts,
    main: Option<&ParsedQuery>,
    query: Query,
) -> Result<HighlightPlan> {
    let (params, options) = (context.params, Options { context, parts });
    let names = names(params, main);
    let unified = param::METHOD.text(params) == "unified";
    let fields: Vec<_> =
        names.into_iter().filter(|name| unified || context.find(name).is_some() || is_glob(name)).collect();
    // Only the unified method complains of an unknown field: for the older ones those were left out above.
    for name in fields.iter().filter(|name| !is_glob(name)) {
        context.field(name)?;
    }
    let mut own = Vec::new();
    for name in own_names(params, &fields) {
        own.push((Arc::from(name), Arc::new(options.of(name)?)));
    }
    let globbed = match fields.iter().any(|name| is_glob(name)) {
        true => Some(GlobbedOptions {
            plain: Arc::new(options.of_globbed(false)?),
            of_vectors: Arc::new(options.of_globbed(true)?),
        }),
        false => None,
    };
    let fields = fields.iter().map(|name| match is_glob(name) {
        true => HighlightField::Glob((*name).to_owned()),
        false => HighlightField::Name(Arc::from(*name)),
    });
    Ok(HighlightPlan { query, fields: fields.collect(), own, globbed })
}

fn is_glob(name: &str) -> bool {
    name.contains('*')
}

/// What is marked; `None` when marking is off, or nothing is asked for.
pub(super) fn highlighted(context: &QueryContext<'_>, main: Option<&ParsedQuery>) -> Result<Option<Query>> {
    let params = context.params;
    if !param::HL.read(params)? {
        return Ok(None);
    }
    let Some(text) = param::QUERY.sent(params) else {
        return Ok(main.and_then(ParsedQuery::highlighted).cloned());
    };
    let parser = param::QUERY_PARSER.sent(params).unwrap_or_else(|| query::DEF_TYPE.text(params));
    let parsed = parse_query(context, text, parser)?;
    Ok(parsed.highlighted().or_else(|| main.and_then(ParsedQuery::highlighted)).cloned())
}

/// The fields asked for, each once; without any, those that words without a field were looked for in.
fn names<'a>(params: &'a Params, main: Option<&'a ParsedQuery>) -> Vec<&'a str> {
    let separates = |c: char| c == ',' || c.is_whitespace();
    let sent: Vec<&str> = param::FIELDS
        .sent_all(params)
        .flat_map(|list| list.split(separates))
        .filter(|name| !name.is_empty())
        .collect();
    if !sent.is_empty() {
        return sent;
    }
    let searched = main.and_then(|main| main.notes.as_ref()).map(|notes| &notes.fields);
    match searched.filter(|fields| !fields.is_empty()) {
        Some(fields) => fields.iter().map(String::as_str).collect(),
        None => {
            // `{!lucene df=title}`: what the query itself searched goes before the request's default.
            let own = main.and_then(|main| main.local.get(query::DF.name));
            own.or_else(|| query::DF.sent(params)).into_iter().collect()
        }
    }
}

/// Fields with options of their own: those named, and beside globs those that a parameter is for.
fn own_names<'a>(params: &'a Params, fields: &[&'a str]) -> BTreeSet<&'a str> {
    let mentioned = fields_with(params, ".hl.");
    let globbed = fields.iter().any(|name| is_glob(name));
    let named = fields.iter().copied().filter(|name| !is_glob(name));
    named.chain(mentioned.filter(|_| globbed)).collect()
}

/// A parameter that is no choice of Solr's.
pub(super) fn unknown(kind: &str, name: &str) -> Error {
    Error::bad_request(format!("Unknown {kind}: {name}"))
}
