//! A query ready to run: fields resolved, statistics taken, boosts multiplied in. Made by `lower`, read by
//! three: `matches` tells which documents match, `evaluate` gives a document its exact score, `explain` tells
//! how.
//!
//! A node may hold functions, and a function may need the scores of a query: the function knows such a query
//! only by `context::ScoredQuery`, so that functions lie below nodes.

use std::collections::HashMap;
use std::sync::Arc;

use plan::Result;
use tantivy::index::SegmentId;
use tantivy::{SegmentReader, Term};

use super::computed_docs::ComputedDocs;
use super::function::{FunctionNode, FunctionRangeNode};
use super::leaf_nodes::{PhraseNode, SynonymNode, TermNode};
use super::preset::{Preset, PresetDocs};
use super::span::SpanNode;
use crate::segment::bits::Bits;

pub(crate) enum Node {
    Nothing,
    Constant(Constant),
    Term(Arc<TermNode>),
    Synonym(Arc<SynonymNode>),
    Phrase(Arc<PhraseNode>),
    Span(Arc<SpanNode>),
    Boolean(BooleanNode),
    DisjunctionMax {
        nodes: Vec<Node>,
        tie_breaker: f32,
    },
    /// Every document, by a function's value.
    Function(Arc<FunctionNode>),
    Boosted(Box<BoostedNode>),
    /// Documents with scores that were worked out beforehand.
    Preset(Arc<PresetNode>),
}

/// Documents that all score the same.
pub(crate) struct Constant {
    pub(crate) source: DocSource,
    pub(crate) score: f32,
    /// As Lucene prints the query.
    pub(crate) label: String,
}

/// Where documents come from when their scores do not matter.
pub(crate) enum DocSource {
    All,
    Term(Term),
    Computed(Arc<ComputedDocs>),
    FunctionRange(Arc<FunctionRangeNode>),
    Node(Box<Node>),
}

/// At least `minimum` of `optional`, all of `required` and `filters`, none of `prohibited`.
#[derive(Default)]
pub(crate) struct BooleanNode {
    pub(crate) required: Vec<Node>,
    pub(crate) optional: Vec<Node>,
    pub(crate) prohibited: Vec<Node>,
    /// Required, adding nothing to the score.
    pub(crate) filters: Vec<Node>,
    pub(crate) minimum: usize,
}

/// Scores that were worked out beforehand.
pub(crate) struct PresetNode {
    pub(crate) preset: Preset,
    /// The query whose scores these came from.
    pub(crate) inner: Option<Node>,
}

/// A query whose scores a function multiplies.
pub(crate) struct BoostedNode {
    pub(crate) node: Node,
    /// With the boost on the whole.
    pub(crate) by: Arc<FunctionNode>,
}

impl Node {
    pub(crate) fn constant(source: DocSource, score: f32, label: impl Into<String>) -> Self {
        Node::Constant(Constant { source, score, label: label.into() })
    }

    pub(crate) fn computed(
        score: f32,
        label: impl Into<String>,
        compute: impl Fn(&SegmentReader) -> Result<Bits> + Send + Sync + 'static,
    ) -> Self {
        Self::constant(DocSource::Computed(Arc::new(ComputedDocs::new(compute))), score, label)
    }

    pub(crate) fn preset(
        label: String,
        inner: Option<Node>,
        segments: HashMap<SegmentId, PresetDocs>,
    ) -> Self {
        Node::Preset(Arc::new(PresetNode { preset: Preset::new(label, segments), inner }))
    }

    /// Documents that are known already, all of one score.
    pub(crate) fn known(label: String, score: f32, segments: HashMap<SegmentId, Arc<Bits>>) -> Self {
        Self::constant(DocSource::Computed(Arc::new(ComputedDocs::known(segments))), score, label)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Node::Nothing)
    }

    /// Whether telling a match takes reading positions, which is better not done twice.
    pub(crate) fn is_costly(&self) -> bool {
        match self {
            Node::Phrase(_) | Node::Span(_) => true,
            Node::Boolean(boolean) => {
                let deciding: &[Node] = if boolean.minimum > 0 { &boolean.optional } else { &[] };
                boolean.required.iter().chain(deciding).any(Node::is_costly)
            }
            Node::DisjunctionMax { nodes, .. } => nodes.iter().any(Node::is_costly),
            Node::Boosted(boosted) => boosted.node.is_costly(),
            _ => false,
        }
    }

    /// Whether no bound of scores is known, so that every match has to be scored.
    pub(crate) fn is_unbounded(&self) -> bool {
        match self {
            Node::Function(_) | Node::Boosted(_) | Node::Preset(_) => true,
            // What takes away from a score turns bounds around.
            Node::Constant(constant) => constant.score < 0.0,
            Node::Term(term) => term.scoring.similarity.weight < 0.0,
            Node::Synonym(synonym) => synonym.scoring.similarity.weight < 0.0,
            Node::Phrase(phrase) => phrase.scoring.similarity.weight < 0.0,
            Node::Span(span) => span.scores_payloads().is_some() || span.scoring.similarity.weight < 0.0,
            Node::Boolean(boolean) => {
                boolean.required.iter().chain(&boolean.optional).any(Node::is_unbounded)
            }
            Node::DisjunctionMax { nodes, .. } => nodes.iter().any(Node::is_unbounded),
            Node::Nothing => false,
        }
    }
}
