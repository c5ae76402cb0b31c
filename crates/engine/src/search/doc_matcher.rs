//! Whether single documents match queries, asked in index order: what snippets need to know of the parts of a
//! query that a field's text cannot answer. In: queries of the plan; out: yes or no for one document after
//! another. It is for the documents of a page, not for a search.

use plan::{Query, Result};
use tantivy::DocId;

use super::evaluate::Evaluator;
use super::lower::lower_unscored;
use super::node::Node;
use crate::search::context::SearchContext;

/// Queries, and how they are asked in the segment last looked at.
pub(crate) struct DocMatcher {
    nodes: Vec<Node>,
    segment: Option<usize>,
    opened: Vec<Evaluator>,
}

impl DocMatcher {
    pub(crate) fn new(context: &SearchContext<'_>, queries: &[Query]) -> Result<Self> {
        let nodes = queries.iter().map(|query| lower_unscored(context, query)).collect::<Result<_>>()?;
        Ok(Self { nodes, segment: None, opened: Vec::new() })
    }

    /// Whether a document of a segment matches query `number`.
    pub(crate) fn matches(
        &mut self,
        context: &SearchContext<'_>,
        (segment, doc): (usize, DocId),
        number: usize,
    ) -> Result<bool> {
        if self.segment != Some(segment) {
            let Some(searched) = context.segments.get(segment) else { return Ok(false) };
            let open = |node| Evaluator::open(context.layout.tantivy(), node, searched.reader);
            self.opened = self.nodes.iter().map(open).collect::<Result<_>>()?;
            self.segment = Some(segment);
        }
        Ok(self.opened.get_mut(number).is_some_and(|evaluator| evaluator.score(doc).is_some()))
    }
}
