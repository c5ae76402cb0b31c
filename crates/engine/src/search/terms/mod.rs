//! Queries of terms alone: all of some, any of others. Nearly every search is one, so they have their own
//! way, block by block over `postings`, without tantivy's scorers: matches are found first, a chunk of the
//! segment at a time (`matching`), and of those only what can still enter the page is scored, exactly and
//! once (`scoring`, `union`).
//!
//! Everything else a query can hold goes through `matches` and `evaluate`; both ways give the same hits and
//! scores.

mod conjunction;
mod matching;
mod phrase;
mod query;
mod scoring;
mod union;

use plan::Result;

use super::leaf_nodes::TermNode;
use super::node::Node;
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::search::context::{Masks, SearchContext, SearchSegment};
use crate::segment::bits::Bits;
use conjunction::Conjunction;
pub(crate) use matching::Matching;
pub(crate) use phrase::{ExactPhrase, ExactPlaces};
pub(crate) use query::Count;
use query::TermQuery;
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

impl TermQuery<'_> {
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
            // Of all segments together: what those before have counted is done.
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
