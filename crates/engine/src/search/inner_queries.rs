//! The one implementation of `context::InnerQueries`: queries inside of functions, vectors and likes are
//! lowered and run as any other. Also the way for those who need the documents of a query and nothing else.
//!
//! Lies above `lower`, `mask` and `evaluate`; nothing below names it, a context hands it down.

use plan::{Query, Result};
use tantivy::schema::Schema;
use tantivy::{DocId, SegmentReader};

use super::evaluate::Evaluator;
use super::lower::{lower_scored, lower_unscored};
use super::mask;
use super::node::Node;
use crate::search::context::{DocScores, InnerQueries, ScoredQuery, SearchContext};

/// Queries over the segments of the context that asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct SnapshotQueries;

impl InnerQueries for SnapshotQueries {
    fn scored(&self, context: &SearchContext<'_>, query: &Query) -> Result<Box<dyn ScoredQuery>> {
        let (node, schema) = (lower_scored(context, query)?, context.layout.tantivy().clone());
        Ok(Box::new(ScoredNode { node, schema }))
    }

    fn matching_docs(&self, context: &SearchContext<'_>, query: &Query) -> Result<Vec<(usize, Vec<DocId>)>> {
        let node = lower_unscored(context, query)?;
        let masks = mask::masks(context, std::iter::empty())?;
        let hits = mask::hits(context, &node, &masks)?;
        let docs = hits.iter().map(|bits| bits.iter().collect::<Vec<_>>()).enumerate();
        Ok(docs.filter(|(_, docs)| !docs.is_empty()).collect())
    }
}

struct ScoredNode {
    node: Node,
    schema: Schema,
}

impl ScoredQuery for ScoredNode {
    fn open(&self, segment: &SegmentReader) -> Result<Box<dyn DocScores>> {
        Ok(Box::new(Evaluator::open(&self.schema, &self.node, segment)?))
    }
}

impl DocScores for Evaluator {
    fn add_batch(&mut self, docs: &[DocId], scores: &mut Vec<Option<f32>>) {
        scores.extend(docs.iter().map(|doc| self.score(*doc)));
    }
}
