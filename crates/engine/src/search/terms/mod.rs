//! Queries of terms alone: all of some, any of others. Nearly every search is one, so they have their own way, block by
//! block over `postings`, without tantivy's scorers: matches are told first, a chunk of the segment at a time (`matching`),
//! and of those only what can still enter the page is scored, exactly and once (`scoring`, `union`).
//!
//! Everything else a query can hold goes through `matches` and `evaluate`; both ways give the same hits and scores.

mod conjunction;
mod matching;
mod phrase;
mod scoring;
mod union;

use plan::Result;
use tantivy::DocId;

use super::bits::Bits;
use super::collect::{Best, Hopefuls as _};
use super::mask::Masks;
use super::node::{Node, TermNode};
use super::{SearchContext, SearchSegment};
use conjunction::Conjunction;
pub(crate) use matching::Matching;
pub(crate) use phrase::{ExactPhrase, ExactPlaces};
pub(crate) use scoring::ScoredTerm;

/// A query that has this way.
pub(crate) enum Direct<'n> {
    Terms(TermQuery<'n>),
    Phrase(ExactPhrase<'n>),
}

impl<'n> Direct<'n> {
    pub(crate) fn of(node: &'n Node) -> Option<Self> {
        let terms = TermQuery::of(node).map(Direct::Terms);
        terms.or_else(|| ExactPhrase::of(node).map(Direct::Phrase))
    }

    /// How many documents match, and the best of them into `best`. Counting may stop beyond `enough`.
    pub(crate) fn collect(
        &self,
        context: &SearchContext<'_>,
        masks: &Masks,
        best: &mut Best,
        enough: Option<u64>,
    ) -> Result<Count> {
        match self {
            Direct::Terms(terms) => terms.collect(context, masks, best, enough),
            Direct::Phrase(phrase) => phrase.collect(context, masks, best, enough),
        }
    }

    /// The documents of a segment that match, of those in `mask`, dead or alive.
    pub(crate) fn bits(&self, segment: &SearchSegment<'_>, mask: Option<&Bits>) -> Result<Bits> {
        match self {
            Direct::Terms(terms) => terms.bits(segment, mask),
            Direct::Phrase(phrase) => phrase.bits(segment, mask),
        }
    }
}

/// How many documents match: all, or at least so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) total: u64,
    pub(crate) exact: bool,
}

impl Count {
    pub(crate) fn exact(total: u64) -> Self {
        Self { total, exact: true }
    }

    fn add(&mut self, other: Count) {
        self.total += other.total;
        self.exact &= other.exact;
    }
}

/// All of `required`; where there are none, at least one of `optional`.
pub(crate) struct TermQuery<'n> {
    required: Vec<&'n TermNode>,
    optional: Vec<&'n TermNode>,
}

impl<'n> TermQuery<'n> {
    /// The query that `node` is, if it is of this shape.
    fn of(node: &'n Node) -> Option<Self> {
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

    fn all(&self) -> impl Iterator<Item = &'n TermNode> + '_ {
        self.required.iter().chain(&self.optional).copied()
    }

    fn is_union(&self) -> bool {
        self.required.is_empty()
    }

    fn collect(
        &self,
        context: &SearchContext<'_>,
        masks: &Masks,
        best: &mut Best,
        enough: Option<u64>,
    ) -> Result<Count> {
        let mut sum = Count::exact(0);
        for segment in &context.segments {
            let mask = masks.get(segment.number).and_then(Option::as_deref);
            best.enter(segment.number);
            let Some(mut matching) = Matching::open(self, segment, mask)? else { continue };
            let scoring = Scoring::open(self, segment, best.limit())?;
            let enough = enough.map(|enough| enough.saturating_sub(sum.total));
            sum.add(match scoring {
                Scoring::None => matching.count(enough),
                Scoring::Term(term) if matching.mask_leads() => {
                    Count::exact(Conjunction::alone(*term).collect(matching, best))
                }
                Scoring::Term(mut term) => {
                    term.collect(mask, best);
                    matching.count(enough)
                }
                Scoring::Union(mut union) => {
                    union.collect(mask, best);
                    matching.count(enough)
                }
                Scoring::Conjunction(conjunction) => Count::exact(conjunction.collect(matching, best)),
            });
            if best.is_cut() {
                break;
            }
        }
        Ok(sum)
    }

    fn bits(&self, segment: &SearchSegment<'_>, mask: Option<&Bits>) -> Result<Bits> {
        let mut bits = Bits::none(segment.max_doc());
        if let Some(mut matching) = Matching::open(self, segment, mask)? {
            matching.fill(&mut bits);
        }
        Ok(bits)
    }
}

fn terms(nodes: &[Node]) -> Option<Vec<&TermNode>> {
    nodes.iter().map(|node| if let Node::Term(term) = node { Some(&**term) } else { None }).collect()
}

/// How the matches of one segment are scored.
enum Scoring {
    /// Not at all: only their number is wanted.
    None,
    Term(Box<ScoredTerm>),
    Conjunction(Box<Conjunction>),
    Union(Box<union::Union>),
}

impl Scoring {
    fn open(query: &TermQuery<'_>, segment: &SearchSegment<'_>, limit: usize) -> Result<Self> {
        if limit == 0 {
            return Ok(Scoring::None);
        }
        let open = |nodes: &[&TermNode]| -> Result<Vec<ScoredTerm>> {
            let open = |node| ScoredTerm::open(node, segment.number, segment.view).transpose();
            nodes.iter().copied().filter_map(open).collect()
        };
        let (mut required, mut optional) = (open(&query.required)?, open(&query.optional)?);
        Ok(match (required.len(), optional.len()) {
            (1, 0) => Scoring::Term(Box::new(required.remove(0))),
            (0, 1) => Scoring::Term(Box::new(optional.remove(0))),
            (0, _) => Scoring::Union(Box::new(union::Union::new(optional, segment.max_doc()))),
            _ => Conjunction::new(required, optional)
                .map_or(Scoring::None, |it| Scoring::Conjunction(Box::new(it))),
        })
    }
}

/// Whether a document may be a hit.
#[inline]
fn allows(mask: Option<&Bits>, doc: DocId) -> bool {
    mask.is_none_or(|mask| mask.contains(doc))
}
