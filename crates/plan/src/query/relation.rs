//! Queries that find documents by others: those above and below in a block, those that share a value (a
//! join), those on the way along shared values (a graph). Shapes and words follow Lucene's and Solr's queries
//! of the same names.

use std::sync::Arc;

use crate::query::match_scope::MatchScope;
use crate::query::{Query, widest};

#[derive(Clone, Debug, PartialEq)]
pub enum Related {
    /// The parents of blocks in which documents before them match (`{!parent}`).
    ToParent {
        parents: Query,
        children: Query,
        score: RelatedScore,
    },
    /// The documents before the parents that match, up to the parent before (`{!child}`). They score as their
    /// parents.
    ToChildren {
        parents: Query,
        query: Query,
    },
    Join(Join),
    Graph {
        query: Query,
        graph: Graph,
    },
}

/// Documents that have in `to` what others have in `from` (`{!join}`).
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// The collection that `query` and `from` are of; `None` is the one that is searched.
    pub collection: Option<Arc<str>>,
    /// Of that collection's schema.
    pub schema_version: Option<u64>,
    pub query: Query,
    pub from: Arc<str>,
    pub to: Arc<str>,
    /// `None` scores a constant.
    pub score: Option<RelatedScore>,
}

/// Documents reached from others: each step leads from what a document has in `edges` to those that have it
/// in `node` (`{!graph}`).
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    pub node: Arc<str>,
    pub edges: Arc<str>,
    /// Only over these does a way lead.
    pub filter: Option<Query>,
    /// `None` goes as far as there is a way.
    pub steps_max: Option<u32>,
    /// Whether those it starts from are found too.
    pub with_roots: bool,
    /// Only documents without edges are found.
    pub only_leaves: bool,
}

impl Related {
    /// As [`Query::scope`]: which documents live decides who leads to whom.
    pub(crate) fn scope(&self) -> MatchScope {
        let inner = match self {
            Related::ToParent { parents, children, .. } => parents.scope().max(children.scope()),
            Related::ToChildren { parents, query } => parents.scope().max(query.scope()),
            Related::Join(join) if join.collection.is_some() => MatchScope::Collections,
            Related::Join(join) => join.query.scope(),
            Related::Graph { query, graph } => query.scope().max(widest(&graph.filter)),
        };
        inner.max(MatchScope::Snapshot)
    }
}

/// Documents found by those at hand (the `domain` of a facet).
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// Their parents, which are those that match.
    ToParents(Query),
    /// What is below those of them that match, which are parents.
    ToChildren(Query),
    Join {
        from: Arc<str>,
        to: Arc<str>,
    },
    Graph(Graph),
}

/// What becomes of the scores of several related documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedScore {
    None,
    Average,
    Max,
    Min,
    Total,
}

impl RelatedScore {
    /// Lucene's name.
    pub fn name(self) -> &'static str {
        match self {
            RelatedScore::None => "None",
            RelatedScore::Average => "Avg",
            RelatedScore::Max => "Max",
            RelatedScore::Min => "Min",
            RelatedScore::Total => "Total",
        }
    }
}
