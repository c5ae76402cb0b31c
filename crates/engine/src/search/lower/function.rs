//! Functions as queries: as scores, as the bounds of a range, as factors of other scores. Where no scores are
//! wanted they decide nothing but ranges. In: a plan's function; out: a node. What is looked up for it, and
//! what it computes, is `search/function`'s.

use std::sync::Arc;

use plan::{Error, Function, FunctionRange, Query, Result};

use crate::search::function::{FunctionNode, FunctionRangeNode, LoweredFunction, lower, range_label};
use crate::search::lower::lowering::Lowering;
use crate::search::node::{BoostedNode, DocSource, Node};
use crate::search::node_label;

impl Lowering<'_> {
    pub(super) fn function(&mut self, function: &Function, boost: f32) -> Result<Node> {
        check_number(function)?;
        if !self.scored {
            return Ok(Node::constant(DocSource::All, boost, function.to_string()));
        }
        let label = function.to_string();
        Ok(Node::Function(Arc::new(FunctionNode { function: self.lowered(function)?, label, boost })))
    }

    pub(super) fn function_range(&mut self, range: &FunctionRange, boost: f32) -> Result<Node> {
        let node =
            FunctionRangeNode::new(self.lowered(&range.function)?, range.clone(), &self.context.allowance);
        Ok(Node::constant(DocSource::FunctionRange(Arc::new(node)), boost, range_label(range)))
    }

    pub(super) fn boosted(&mut self, query: &Query, function: &Function, boost: f32) -> Result<Node> {
        check_number(function)?;
        let node = self.lower(query, 1.0)?;
        if !self.scored || node.is_nothing() {
            return Ok(node);
        }
        let inner = node_label::label(&node);
        let label = format!("FunctionScoreQuery({inner}, scored by boost({function}))");
        let by = Arc::new(FunctionNode { function: self.lowered(function)?, label, boost });
        Ok(Node::Boosted(Box::new(BoostedNode { node, by })))
    }

    fn lowered(&self, function: &Function) -> Result<LoweredFunction> {
        lower(self.context, function)
    }
}

/// Solr differs: a text is found to be no number only when a document is scored, an error 500; here it is the
/// client's (`compat/query/functions.yaml`).
fn check_number(function: &Function) -> Result<()> {
    if function.is_number() {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "`{function}` is no number, which a score has to be; use a function of numbers"
    )))
}
