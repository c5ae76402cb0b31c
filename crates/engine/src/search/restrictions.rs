//! What of a query only restricts: it runs with the filters, so that pruning works on what is left, and an
//! explanation puts it back in its place. It is done once on the lowered tree, after the plan and before any
//! segment is opened: no plan is changed by it, and all segments run the same tree.

use super::explain::MovedParts;
use super::mask::PreparedFilter;
use super::node::{BooleanNode, DocSource, Node};
use super::node_label;

/// Moves what only restricts from the query to the filters: pruning works on what is left.
pub(super) fn split(node: Node, filters: &mut Vec<PreparedFilter>) -> (Node, MovedParts) {
    let Node::Boolean(mut boolean) = node else { return (node, MovedParts::default()) };
    let moved = MovedParts {
        filters: boolean.filters.iter().map(node_label::label).collect(),
        prohibited: !boolean.prohibited.is_empty(),
        nested: matches!(boolean.required.as_slice(), [Node::Boolean(_)]) && boolean.optional.is_empty(),
    };
    filters.extend(boolean.filters.drain(..).map(|node| PreparedFilter::of_node(node, false)));
    filters.extend(boolean.prohibited.drain(..).map(|node| PreparedFilter::of_node(node, true)));
    (whole(boolean), moved)
}

/// What is left of a combination whose restrictions have moved away.
fn whole(mut boolean: BooleanNode) -> Node {
    match (boolean.required.len(), boolean.optional.len(), boolean.minimum) {
        (1, 0, _) => boolean.required.remove(0),
        (0, 1, 1) => boolean.optional.remove(0),
        (0, _, 0) => {
            // Only filters decide; the optional parts may add to the score.
            boolean.required.push(Node::constant(DocSource::All, 0.0, "*:*"));
            Node::Boolean(boolean)
        }
        _ => Node::Boolean(boolean),
    }
}
