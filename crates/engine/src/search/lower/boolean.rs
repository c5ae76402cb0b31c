//! Boolean combinations and the maximum of several, simplified as Lucene's rewrites do: clauses that cannot
//! match fall away, nested conjunctions and disjunctions join the outer one (which is what lets tantivy
//! prune), one clause stands alone.

use plan::{Clause, Occur, Query, Result};

use crate::search::lower::lowering::Lowering;
use crate::search::node::{BooleanNode, DocSource, Node};

impl Lowering<'_> {
    pub(super) fn boolean(&mut self, clauses: &[Clause], minimum: usize, boost: f32) -> Result<Node> {
        let mut node = BooleanNode { minimum, ..BooleanNode::default() };
        for clause in clauses {
            match clause.occur {
                Occur::Must => node.required.push(self.lower(&clause.query, boost)?),
                Occur::Should => node.optional.push(self.lower(&clause.query, boost)?),
                Occur::MustNot => node.prohibited.push(self.lower_part(&clause.query)?),
                Occur::Filter => node.filters.push(self.lower_part(&clause.query)?),
            }
        }
        Ok(simplify(node))
    }

    /// A part whose scores do not count.
    fn lower_part(&mut self, query: &Query) -> Result<Node> {
        let scored = std::mem::replace(&mut self.scored, false);
        let node = self.lower(query, 1.0);
        self.scored = scored;
        node
    }

    pub(super) fn disjunction_max(
        &mut self,
        queries: &[Query],
        tie_breaker: f32,
        boost: f32,
    ) -> Result<Node> {
        let mut nodes = Vec::with_capacity(queries.len());
        for query in queries {
            nodes.push(self.lower(query, boost)?);
        }
        nodes.retain(|node| !node.is_nothing());
        // An explanation speaks of the maximum even where the index knows the words of one part only.
        let one = queries.len() == 1 || !self.context.explains;
        Ok(match nodes.len() {
            0 => Node::Nothing,
            1 if one => nodes.remove(0),
            _ => Node::DisjunctionMax { nodes, tie_breaker },
        })
    }
}

pub(super) fn simplify(mut node: BooleanNode) -> Node {
    node.optional.retain(|part| !part.is_nothing());
    node.prohibited.retain(|part| !part.is_nothing());
    let asked = node.minimum;
    let dead = node.required.iter().chain(&node.filters).any(Node::is_nothing);
    if node.required.is_empty() && node.filters.is_empty() {
        node.minimum = node.minimum.max(1);
    }
    if dead || node.minimum > node.optional.len() || node.prohibited.iter().any(is_everything) {
        return Node::Nothing;
    }
    if asked > 0 && asked == node.optional.len() {
        // All of them: a conjunction, which is found faster. Lucene's rewrite, and its explanations show it.
        node.required.append(&mut node.optional);
        node.minimum = 0;
    }
    join_nested(&mut node);
    let alone = node.prohibited.is_empty() && node.filters.is_empty();
    match (node.required.len(), node.optional.len()) {
        (1, 0) if alone => node.required.remove(0),
        (0, 1) if alone => node.optional.remove(0),
        (0, 0) => {
            let label = String::from("filters");
            Node::constant(DocSource::Node(Box::new(Node::Boolean(node))), 0.0, label)
        }
        _ => Node::Boolean(node),
    }
}

fn is_everything(node: &Node) -> bool {
    matches!(node, Node::Constant(constant) if matches!(constant.source, DocSource::All))
}

/// Takes conjunctions among the required parts and disjunctions among the optional ones into `node` itself.
fn join_nested(node: &mut BooleanNode) {
    let mut required = Vec::with_capacity(node.required.len());
    for part in node.required.drain(..) {
        match part {
            Node::Boolean(inner) if inner.optional.is_empty() => {
                required.extend(inner.required);
                node.filters.extend(inner.filters);
                node.prohibited.extend(inner.prohibited);
            }
            other => required.push(other),
        }
    }
    node.required = required;
    if node.minimum > 1 {
        return;
    }
    let mut optional = Vec::with_capacity(node.optional.len());
    for part in node.optional.drain(..) {
        match part {
            Node::Boolean(inner) if is_plain_disjunction(&inner) => optional.extend(inner.optional),
            other => optional.push(other),
        }
    }
    node.optional = optional;
}

fn is_plain_disjunction(node: &BooleanNode) -> bool {
    node.required.is_empty() && node.filters.is_empty() && node.prohibited.is_empty() && node.minimum == 1
}
