//! The documents nearest to a vector. They are found here, once for all segments, since which of a segment
//! are among them depends on the others; their scores are computed as those of any function. The walk over a
//! segment's vectors is `search/nearest`'s, exact or by its graph; the filters that a query names for it are
//! lowered first, as only documents that pass them may be among the nearest.

use std::sync::Arc;

use plan::{Function, Nearest, Result};

use crate::search::function::{FunctionNode, lower};
use crate::search::lower::lowering::Lowering;
use crate::search::nearest;
use crate::search::node::{BooleanNode, Node};
use crate::segment::bits::Bits;

impl Lowering<'_> {
    pub(super) fn nearest_vectors(&self, query: &Nearest, boost: f32) -> Result<Node> {
        let found = nearest::nearest(self.context, query)?;
        let label = format!("within top {}", query.count);
        let docs = Node::computed(boost, label.clone(), move |reader| {
            let docs = found.get(&reader.segment_id());
            Ok(docs.map_or_else(|| Bits::none(reader.max_doc()), |docs| (**docs).clone()))
        });
        let Some(similarity) = self.similarity(query).filter(|_| self.scored) else { return Ok(docs) };
        let function = lower(self.context, &Function::VectorSimilarity(Box::new(similarity)))?;
        let score = Node::Function(Arc::new(FunctionNode { function, label, boost }));
        Ok(Node::Boolean(BooleanNode {
            required: vec![score],
            filters: vec![docs],
            ..BooleanNode::default()
        }))
    }

    fn similarity(&self, query: &Nearest) -> Option<plan::VectorSimilarity> {
        let kind = plan::VectorType::of(&self.field(&query.field)?.spec.field_type).ok()?;
        let sides =
            [plan::VectorSide::Constant(query.target.clone()), plan::VectorSide::Field(query.field.clone())];
        Some(plan::VectorSimilarity { measure: kind.measure, encoding: kind.encoding, sides })
    }
}
