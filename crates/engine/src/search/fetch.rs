//! What a hit shows: its stored fields as selected, its id, its score and explanation.

use plan::{Error, Explanation, FieldSelection, Hit, Result};

use super::SearchContext;
use super::collect::Found;
use crate::snapshot::read_source;

pub(crate) fn hit(
    context: &SearchContext<'_>,
    found: &Found,
    fields: &FieldSelection,
    score: Option<f32>,
    explanation: Option<Explanation>,
) -> Result<Hit> {
    let segment = context
        .segments
        .get(found.segment)
        .ok_or_else(|| Error::internal("a hit names a segment that the snapshot does not have"))?;
    let source = segment.view.source(found.doc)?;
    let (id, document) = read_source(&source, context.layout, fields)?;
    Ok(Hit { id, document, score, explanation })
}
