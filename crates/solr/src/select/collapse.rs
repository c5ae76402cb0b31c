//! `{!collapse}` among the filters, and `expand.*`, which shows what it leaves out. Messages are Solr's,
//! recorded from 9.10.1. In: a filter's text, or the parameters of `expand`; out: `plan::Collapse` and
//! `plan::ExpandPlan`. Which hit of a group stays is decided in the engine, over shards above them all.

use std::sync::Arc;

use plan::{Collapse, Error, ExpandPlan, FieldClass, NullPolicy, Result, SortBy, SortKey};

use super::request::{as_filter, by_score};
use super::sort::parse_sort;
use crate::function::{check_number, parse_function};
use crate::params::{Params, grouping};
use crate::query::{Field, LocalParams, QueryContext, SyntaxError, parse_query, split_local_params};

/// What the text of a filter collapses by, `None` when it is of another kind.
pub(super) fn parse_collapse(context: &QueryContext<'_>, text: &str) -> Result<Option<Collapse>> {
    // Nearly every filter: no look at local parameters is needed to know that it does not collapse.
    let text = text.trim_start();
    if !text.starts_with("{!") {
        return Ok(None);
    }
    let (local, rest) = split_local_params(text, context.params)?;
    match local.get("type") {
        Some("collapse") => {}
        // A filter that is nothing but another with parameters before it is that one, under the tags that
        // stand first.
        kind @ (None | Some("lucene" | "query")) => {
            let inner = local.get("v").unwrap_or(rest);
            // To `lucene` what stands behind it is one clause more.
            //
            // Solr differs: a collapse among other clauses is its error 500
            // (`compat/select/collapse_tagged.yaml`).
            let is_alone = || Ok::<_, Error>(split_local_params(inner.trim(), context.params)?.1.is_empty());
            if kind != Some("query") && inner.trim_start().starts_with("{!collapse") && !is_alone()? {
                return Ok(None);
            }
            let inner = parse_collapse(context, inner)?;
            return Ok(inner.map(|inner| Collapse { tags: local.list("tag"), ..inner }));
        }
        _ => return Ok(None),
    }
    context.check_parser("collapse")?;
    if grouping::GROUP.read(context.params)? {
        return Err(SyntaxError::plain("Can not use collapse with Grouping enabled".to_owned()).into());
    }
    let refused = |message: &str| -> Error { SyntaxError::plain(message.to_owned()).into() };
    let name = local.get("field").ok_or_else(|| refused("Required 'field' param is missing."))?;
    let field = context.field_quoted(name).map_err(|error| refused(&error.message))?;
    check_field(&field)?;
    let nulls = match local.get("nullPolicy") {
        None | Some("ignore") => NullPolicy::Ignore,
        Some("expand") => NullPolicy::Expand,
        Some("collapse") => NullPolicy::Collapse,
        Some(other) => return Err(refused(&format!("Invalid nullPolicy: {other}"))),
    };
    Ok(Some(Collapse {
        field: field.name,
        best: best(context, &local, rest)?,
        nulls,
        keep: None,
        tags: local.list("tag"),
    }))
}

fn check_field(field: &Field) -> Result<()> {
    let properties = &field.spec.properties;
    // Solr would build the column from terms in memory; here it is written with them, so both have one.
    let uninverts = properties.indexed && properties.uninvertible && !field.spec.class().is_text();
    if !properties.doc_values && !uninverts {
        let message = format!(
            "Collapsing field '{}' should be either docValues enabled or indexed with uninvertible enabled",
            field.name
        );
        return Err(SyntaxError::plain(message).into());
    }
    if properties.multi_valued {
        return Err(SyntaxError::plain("Collapsing not supported on multivalued fields".to_owned()).into());
    }
    match field.spec.class() {
        FieldClass::Str | FieldClass::Int | FieldClass::Float | FieldClass::Enum => Ok(()),
        _ => Err(Error::bad_request("Collapsing field should be of either String, Int or Float type")),
    }
}

/// Which hit of a group stays.
fn best(context: &QueryContext<'_>, local: &LocalParams, rest: &str) -> Result<Vec<SortKey>> {
    let (least, greatest, sort) = (local.get("min"), local.get("max"), local.get("sort"));
    if [least, greatest, sort].iter().flatten().count() > 1 {
        let message = "At most one localparam for selecting documents (min, max, sort) may be specified";
        return Err(SyntaxError::plain(format!("{message}: {}&v={rest}", local.shown())).into());
    }
    let keys = match (least, greatest, sort) {
        (Some(text), _, _) => vec![SortKey { by: worth(context, text)?, descending: false }],
        (_, Some(text), _) => vec![SortKey { by: worth(context, text)?, descending: true }],
        (_, _, text) => parse_sort(context, text.unwrap_or_default())?,
    };
    // Without a choice the hit with the best score stands for its group.
    Ok(if keys.is_empty() { by_score() } else { keys })
}

/// What `min` and `max` compare: a number's field, a function, or `cscore()`, the score.
fn worth(context: &QueryContext<'_>, text: &str) -> Result<SortBy> {
    if text.trim() == "cscore()" {
        return Ok(SortBy::Score);
    }
    // No field's name has a parenthesis, so this needs no schema to decide.
    if text.contains('(') {
        let function = parse_function(context, text, 0)?;
        let function = function
            .ok_or_else(|| Error::bad_request(format!("cannot collapse by `{text}`: it is no function")))?;
        check_number(&function)?;
        return Ok(SortBy::Function(function));
    }
    let field = context.field_quoted(text)?;
    match field.spec.class() {
        FieldClass::Int | FieldClass::Long | FieldClass::Float | FieldClass::Date | FieldClass::Enum => {
            Ok(SortBy::Field(field.name))
        }
        FieldClass::Double => Err(Error::bad_request("min/max must be either Int/Long/Float field types")),
        _ => Err(Error::bad_request("min/max must be either Int/Long/Float based field types")),
    }
}

/// Refuses a request that both groups and expands.
pub(super) fn refuse_both(params: &Params) -> Result<()> {
    if grouping::EXPAND.read(params)? && grouping::GROUP.read(params)? {
        return Err(Error::bad_request("Can not use expand with Grouping enabled"));
    }
    Ok(())
}

/// What `expand` asks for, `None` when it is off. Groups are those of the first collapse unless a field is
/// named.
pub(super) fn resolve_expand(
    context: &QueryContext<'_>,
    collapses: &[Collapse],
) -> Result<Option<ExpandPlan>> {
    let params = context.params;
    if !grouping::EXPAND.read(params)? {
        return Ok(None);
    }
    let query = grouping::EXPAND_QUERY.sent(params);
    let query =
        query.map(|text| Ok::<_, Error>(parse_query(context, text, "lucene")?.executable())).transpose()?;
    let mut filters = Vec::new();
    for text in grouping::EXPAND_FILTER.sent_all(params).filter(|text| !text.trim().is_empty()) {
        filters.push(as_filter(&parse_query(context, text, "lucene")?)?);
    }
    let sent = grouping::EXPAND_FILTER.sent(params).is_some();
    let sort = parse_sort(context, grouping::EXPAND_SORT.sent(params).unwrap_or_default())?;
    let rows = grouping::EXPAND_ROWS.read(params)?;
    Ok(Some(ExpandPlan {
        field: expand_field(context, collapses)?,
        query,
        // An empty `expand.fq` is one all the same: it takes the search's own filters away.
        filters: sent.then_some(filters),
        rows: usize::try_from(rows)
            // Solr differs: the search for members fails, an error 500
            // (`compat/select/grouping_facets.yaml`).
            .map_err(|_| Error::bad_request("'expand.rows' parameter cannot be negative"))?,
        sort: if sort.is_empty() { by_score() } else { sort },
        nulls: grouping::EXPAND_NULLS.read(params)?,
    }))
}

fn expand_field(context: &QueryContext<'_>, collapses: &[Collapse]) -> Result<Arc<str>> {
    let Some(name) = grouping::EXPAND_FIELD.sent(context.params) else {
        let collapse = collapses.first().ok_or_else(|| Error::bad_request("missing expand field"))?;
        return Ok(collapse.field.clone());
    };
    let field = context.field_quoted(name)?;
    let class = field.spec.class();
    if class == FieldClass::Str || class.has_number_column() {
        return Ok(field.name);
    }
    Err(Error::bad_request(format!("Expand not supported for fieldType:'{}'", field.spec.field_type.name)))
}
