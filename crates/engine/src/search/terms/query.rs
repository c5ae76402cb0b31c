//! The shape of query that goes by terms alone, and what every way of running one shares: required and
//! optional terms, and the count of matches with whether it is exact. Read off a node; anything else is
//! `matches` and `evaluate`.

use tantivy::DocId;

use crate::search::leaf_nodes::TermNode;
use crate::search::node::Node;
use crate::segment::bits::Bits;

/// How many documents match: all, or at least this many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) total: u64,
    pub(crate) exact: bool,
}

impl Count {
    pub(crate) fn exact(total: u64) -> Self {
        Self { total, exact: true }
    }

    pub(super) fn add(&mut self, other: Count) {
        self.total += other.total;
        self.exact &= other.exact;
    }
}

/// All of `required`; where there are none, at least one of `optional`.
pub(crate) struct TermQuery<'n> {
    pub(super) required: Vec<&'n TermNode>,
    pub(super) optional: Vec<&'n TermNode>,
}

impl<'n> TermQuery<'n> {
    /// The query that `node` is, if it is of this shape.
    pub(super) fn of(node: &'n Node) -> Option<Self> {
        let (required, optional) = match node {
            Node::Term(term) => (vec![&**term], Vec::new()),
            Node::Boolean(boolean) if boolean.prohibited.is_empty() && boolean.filters.is_empty() => {
                let needed = usize::from(boolean.required.is_empty());
                if boolean.minimum != needed {
                    return None;
                }
                (terms(&boolean.required)?, terms(&boolean.optional)?)
            }
            _ => return None,
        };
        let query = Self { required, optional };
        // A negative weight would turn bounds around.
        let bounded = query.all().all(|term| term.scoring.similarity.weight >= 0.0);
        (bounded && query.all().next().is_some()).then_some(query)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'n TermNode> + '_ {
        self.required.iter().chain(&self.optional).copied()
    }

    pub(super) fn is_union(&self) -> bool {
        self.required.is_empty()
    }
}

fn terms(nodes: &[Node]) -> Option<Vec<&TermNode>> {
    nodes.iter().map(|node| if let Node::Term(term) = node { Some(&**term) } else { None }).collect()
}

/// Whether a document may be a hit.
#[inline]
pub(super) fn allows(mask: Option<&Bits>, doc: DocId) -> bool {
    mask.is_none_or(|mask| mask.contains(doc))
}
