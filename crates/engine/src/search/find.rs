//! Documents as such: those that match a query, and the one with an id.

use plan::{Query, Result, Value};
use tantivy::DocId;

use super::lower::lower_unscored;
use super::mask;
use crate::search::context::{SearchContext, SearchSegment};

/// The living documents that match: (segment, documents ascending), empty ones left out.
pub(super) fn matching_docs(context: &SearchContext<'_>, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>> {
    let node = lower_unscored(context, query)?;
    let masks = mask::masks(context, std::iter::empty())?;
    let hits = mask::hits(context, &node, &masks)?;
    let docs = hits.iter().map(|bits| bits.iter().collect::<Vec<_>>()).enumerate();
    Ok(docs.filter(|(_, docs)| !docs.is_empty()).collect())
}

/// The living document with this id.
pub(super) fn place_of<'a, 'b>(
    context: &'b SearchContext<'a>,
    id: &str,
) -> Result<Option<(&'b SearchSegment<'a>, DocId)>> {
    let key = context.layout.unique_key().cloned().unwrap_or_else(|| "id".into());
    let found = matching_docs(context, &Query::Term { field: key, value: Value::Str(id.to_owned()) })?;
    let first = found.first().and_then(|(segment, docs)| Some((*segment, *docs.first()?)));
    Ok(first.and_then(|(segment, doc)| Some((context.segments.get(segment)?, doc))))
}
