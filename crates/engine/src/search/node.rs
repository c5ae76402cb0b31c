//! A query ready to run: fields resolved, statistics taken, boosts multiplied in. Made by `lower`, read by
//! three: `matches` tells which documents match, `evaluate` gives a document its exact score, `explain` tells
//! how.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plan::Result;
use tantivy::index::SegmentId;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;
use tantivy::{SegmentReader, Term};

use super::bm25::Similarity;
use super::function::{FunctionNode, FunctionRangeNode};
use super::preset::Preset;
use super::span::SpanNode;
use crate::segment::bits::Bits;
use crate::snapshot::Views;
use crate::snapshot::field_stats::FieldStats;

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
    Preset(Arc<Preset>),
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
    Computed(Arc<Computed>),
    FunctionRange(Arc<FunctionRangeNode>),
    Node(Box<Node>),
}

/// A term scored by BM25.
pub(crate) struct TermNode {
    pub(crate) term: Term,
    /// Where the term's postings are, segment by segment.
    pub(crate) infos: Vec<Option<TermInfo>>,
    pub(crate) label: String,
    pub(crate) scoring: Scoring,
    /// Whether documents can differ in frequency or length; if not, all score the same.
    pub(crate) varies: bool,
}

impl TermNode {
    /// `None` when no document of the segment has the term.
    pub(crate) fn info_in(&self, segment: usize) -> Option<&TermInfo> {
        self.infos.get(segment)?.as_ref()
    }
}

/// What BM25 needs besides frequency and length.
#[derive(Clone)]
pub(crate) struct Scoring {
    pub(crate) boost: f32,
    pub(crate) stats: FieldStats,
    /// (term, documents with it): one for a term, all for a phrase.
    pub(crate) terms: Vec<(String, u64)>,
    pub(crate) idf: f32,
    pub(crate) similarity: Similarity,
    /// The field whose lengths count, if it keeps any.
    pub(crate) norms: Option<Field>,
    /// Where the postings are.
    pub(crate) views: Views,
}

pub(crate) struct SynonymNode {
    /// (term, boost).
    pub(crate) terms: Vec<(Term, f32)>,
    pub(crate) label: String,
    pub(crate) scoring: Scoring,
}

pub(crate) struct PhraseNode {
    /// (position relative to the first, the terms that may stand there), ascending.
    pub(crate) positions: Vec<(u32, Vec<Term>)>,
    pub(crate) slop: u32,
    /// Of each position, which others share a term with it; none without slop.
    pub(crate) groups: Vec<Option<usize>>,
    pub(crate) label: String,
    pub(crate) scoring: Scoring,
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

/// A query whose scores a function multiplies.
pub(crate) struct BoostedNode {
    pub(crate) node: Node,
    /// With the boost on the whole.
    pub(crate) by: Arc<FunctionNode>,
}

type Compute = dyn Fn(&SegmentReader) -> Result<Bits> + Send + Sync;
type ComputeAmong = dyn Fn(&SegmentReader, &Bits) -> Result<Option<Bits>> + Send + Sync;

/// Documents found by reading columns or many terms; each segment is read once per search.
pub(crate) struct Computed {
    compute: Box<Compute>,
    /// Finds those among some documents, where that is less work.
    among: Option<Box<ComputeAmong>>,
    known: Mutex<HashMap<SegmentId, Arc<Bits>>>,
}

impl Computed {
    pub(crate) fn new(compute: impl Fn(&SegmentReader) -> Result<Bits> + Send + Sync + 'static) -> Self {
        Self { compute: Box::new(compute), among: None, known: Mutex::default() }
    }

    /// With a way to ask about some documents alone, which answers `None` where finding all is no more work.
    pub(crate) fn or_among(
        mut self,
        among: impl Fn(&SegmentReader, &Bits) -> Result<Option<Bits>> + Send + Sync + 'static,
    ) -> Self {
        self.among = Some(Box::new(among));
        self
    }

    /// Bits that are known already. Segments without any have none.
    pub(crate) fn known(known: HashMap<SegmentId, Arc<Bits>>) -> Self {
        let compute = |reader: &SegmentReader| Ok(Bits::none(reader.max_doc()));
        Self { compute: Box::new(compute), among: None, known: Mutex::new(known) }
    }

    /// All of a segment.
    pub(crate) fn bits(&self, reader: &SegmentReader) -> Result<Arc<Bits>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bits) = known.get(&reader.segment_id()) {
            return Ok(bits.clone());
        }
        let bits = Arc::new((self.compute)(reader)?);
        known.insert(reader.segment_id(), bits.clone());
        Ok(bits)
    }

    /// Those in `among`.
    pub(crate) fn bits_among(&self, reader: &SegmentReader, among: &Bits) -> Result<Arc<Bits>> {
        let known =
            self.known.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&reader.segment_id());
        if let Some(find) = self.among.as_ref().filter(|_| !known)
            && let Some(bits) = find(reader, among)?
        {
            return Ok(Arc::new(bits));
        }
        let mut bits = self.bits(reader)?;
        Arc::make_mut(&mut bits).intersect(among);
        Ok(bits)
    }
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
        Self::constant(DocSource::Computed(Arc::new(Computed::new(compute))), score, label)
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
