//! Phrases of one term a place, without slop: all documents with the terms (`matching`), then their positions. In a document
//! of up to 128 positions a term's are one number of 128 bits, and a phrase is a shift and an `and`; longer ones merge lists.

use plan::Result;
use tantivy::postings::TermInfo;
use tantivy::{DocId, Term};

use super::Count;
use super::matching::Matching;
use super::scoring::slack;
use crate::search::bits::Bits;
use crate::search::collect::Best;
use crate::search::error::engine_error;
use crate::search::mask::Masks;
use crate::search::node::{Node, PhraseNode};
use crate::search::norms::Norms;
use crate::search::positions::TermPositions;
use crate::search::postings::{Pair, TermBlocks};
use crate::search::{SearchContext, SearchSegment};

/// Positions that fit a number.
const SHORT: u32 = u128::BITS;

pub(crate) struct ExactPhrase<'n> {
    node: &'n PhraseNode,
    /// (distance from the first place, term).
    places: Vec<(u32, &'n Term)>,
}

/// One place of a phrase in one segment.
struct PlaceAt {
    offset: u32,
    blocks: TermBlocks,
    positions: TermPositions,
    /// Where the phrase would have to begin, ascending: only for long documents.
    begins: Vec<u32>,
}

/// A phrase in one segment.
struct Opened<'m> {
    places: Vec<PlaceAt>,
    matching: Matching<'m>,
    norms: Norms,
    /// How much more than a block's best pair another of its pairs can score.
    slack: f32,
}

impl<'n> ExactPhrase<'n> {
    /// The phrase that `node` is, if it is of this shape.
    pub(crate) fn of(node: &'n Node) -> Option<Self> {
        let Node::Phrase(node) = node else { return None };
        let place = |(offset, terms): &'n (u32, Vec<Term>)| match &terms[..] {
            [term] => Some((*offset, term)),
            _ => None,
        };
        let places = node.positions.iter().map(place).collect::<Option<Vec<_>>>()?;
        (node.slop == 0 && node.scoring.similarity.weight >= 0.0).then_some(Self { node, places })
    }

    /// How many documents match, and the best of them into `best`. Counting may stop beyond `enough`.
    pub(crate) fn collect(
        &self,
        context: &SearchContext<'_>,
        masks: &Masks,
        best: &mut Best,
        enough: Option<u64>,
    ) -> Result<Count> {
        let mut count = Count::exact(0);
        for segment in &context.segments {
            best.enter(segment.number);
            let mask = masks.get(segment.number).and_then(Option::as_deref);
            if let Some(opened) = self.open(segment, mask)? {
                self.collect_segment(opened, best, enough, &mut count);
            }
        }
        Ok(count)
    }

    /// The documents of a segment that match, dead or alive.
    pub(crate) fn bits(&self, segment: &SearchSegment<'_>) -> Result<Bits> {
        let mut bits = Bits::none(segment.max_doc());
        if let Some(Opened { mut places, mut matching, .. }) = self.open(segment, None)? {
            let mut candidates = Vec::new();
            matching.list(&mut candidates);
            candidates.retain(|doc| frequency(&mut places, *doc) > 0);
            candidates.into_iter().for_each(|doc| bits.insert(doc));
        }
        Ok(bits)
    }

    /// `None` when nothing can match.
    fn open<'m>(&self, segment: &SearchSegment<'_>, mask: Option<&'m Bits>) -> Result<Option<Opened<'m>>> {
        let (mut places, mut infos): (Vec<PlaceAt>, Vec<TermInfo>) = (Vec::new(), Vec::new());
        for (offset, term) in &self.places {
            let inverted = segment.reader.inverted_index(term.field()).map_err(engine_error)?;
            let Some(info) = inverted.get_term_info(term).map_err(engine_error)? else { return Ok(None) };
            let postings = segment.view.postings();
            let Some(positions) = postings.positions(term.field(), &info)? else { return Ok(None) };
            let blocks = postings.blocks(segment.reader, term.field(), &info)?;
            places.push(PlaceAt { offset: *offset, blocks, positions, begins: Vec::new() });
            infos.push(info);
        }
        let terms = self.places.iter().zip(&infos).map(|((_, term), info)| (term.field(), Some(info)));
        let Some(matching) = Matching::of_terms(terms, false, segment, mask)? else { return Ok(None) };
        // The rarest first: most documents are told from its positions alone.
        places.sort_by_key(|place| place.blocks.doc_freq());
        let norms = Norms::open(segment.reader, self.node.scoring.norms).map_err(engine_error)?;
        let slack = slack(&self.node.scoring, segment)?;
        Ok(Some(Opened { places, matching, norms, slack }))
    }

    fn collect_segment(&self, opened: Opened<'_>, best: &mut Best, enough: Option<u64>, count: &mut Count) {
        let Opened { mut places, mut matching, norms, slack } = opened;
        let similarity = &self.node.scoring.similarity;
        let mut candidates = Vec::new();
        matching.list(&mut candidates);
        for doc in candidates {
            let bar = best.bar().filter(|_| enough.is_some_and(|enough| count.total > enough));
            if let Some(bar) = bar
                && !can_reach(
                    &mut places,
                    doc,
                    |freq| similarity.score(freq as f32, norms.of(doc)),
                    |pair| similarity.score(pair.freq as f32, pair.norm) * slack,
                    bar,
                )
            {
                count.exact = false;
                continue;
            }
            let freq = frequency(&mut places, doc);
            if freq > 0 {
                count.total += 1;
                if best.limit() > 0 {
                    best.offer(doc, similarity.score(freq as f32, norms.of(doc)));
                }
            }
        }
    }
}

/// Whether the phrase, which stands in `doc` no oftener than each of its terms, can score over the bar there.
#[inline]
fn can_reach(
    places: &mut [PlaceAt],
    doc: DocId,
    score: impl Fn(u32) -> f32,
    bound: impl Fn(Pair) -> f32,
    bar: f32,
) -> bool {
    places.iter_mut().all(|place| {
        place.blocks.skip_to(doc);
        place.blocks.entry().best.is_none_or(|pair| bound(pair) > bar)
    }) && places.iter_mut().all(|place| place.blocks.freq_in(doc).is_some_and(|freq| score(freq) > bar))
}

/// How often the phrase stands in `doc`, which has all terms.
#[inline]
fn frequency(places: &mut [PlaceAt], doc: DocId) -> u32 {
    let mut common = u128::MAX;
    for place in places.iter_mut() {
        match place.short(doc) {
            Some(begins) => common &= begins,
            None => return long_frequency(places, doc),
        }
        if common == 0 {
            return 0;
        }
    }
    common.count_ones()
}

impl PlaceAt {
    /// Where the phrase would have to begin, one bit a position; `None` when a position is too large for it.
    #[inline]
    fn short(&mut self, doc: DocId) -> Option<u128> {
        let (start, count) = self.blocks.positions_of(doc)?;
        // Two words: a shift of 128 bits takes several instructions.
        let (mut position, mut words) = (0u32, [0u64; 2]);
        self.positions.read(start, count, |delta| {
            position = position.wrapping_add(delta);
            words[(position / 64 % 2) as usize] |= 1 << (position % 64);
        });
        let [low, high] = words.map(u128::from);
        (position < SHORT && self.offset < SHORT).then(|| (high << 64 | low) >> self.offset)
    }

    fn long(&mut self, doc: DocId) {
        self.begins.clear();
        let Some((start, count)) = self.blocks.positions_of(doc) else { return };
        let mut position = 0u32;
        let (offset, begins) = (self.offset, &mut self.begins);
        self.positions.read(start, count, |delta| {
            position = position.wrapping_add(delta);
            begins.extend(position.checked_sub(offset));
        });
    }
}

#[cold]
fn long_frequency(places: &mut [PlaceAt], doc: DocId) -> u32 {
    places.iter_mut().for_each(|place| place.long(doc));
    let Some((first, others)) = places.split_first() else { return 0 };
    let everywhere = |begin: &&u32| others.iter().all(|place| place.begins.binary_search(begin).is_ok());
    let mut found: Vec<u32> = first.begins.iter().filter(everywhere).copied().collect();
    found.dedup();
    found.len() as u32
}
