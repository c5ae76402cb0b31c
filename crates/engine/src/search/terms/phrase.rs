//! Phrases of one term a place, without slop: all documents with the terms (`matching`), then their
//! positions. In a document of up to 128 positions a term's are one number of 128 bits, and a phrase is a
//! shift and an `and`; longer ones merge lists.

use plan::Result;
use tantivy::{DocId, Term};

use super::matching::Matching;
use super::query::Count;
use super::scoring::slack;
use crate::errors::from_tantivy;
use crate::search::bm25::Similarity;
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::search::context::{Masks, SearchContext, SearchSegment};
use crate::search::leaf_nodes::PhraseNode;
use crate::search::node::Node;
use crate::search::norms::Norms;
use crate::segment::bits::Bits;
use crate::segment::postings::TermBlocks;
use crate::segment::postings::positions::TermPositions;
use crate::snapshot::SegmentView;

/// Documents between looks at the allowance.
const DOCS_A_LOOK: usize = 1024;

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

/// A phrase in one segment, document after document.
pub(crate) struct ExactPlaces {
    /// The rarest term's first: most documents are decided by its positions alone.
    places: Vec<PlaceAt>,
    norms: Norms,
    similarity: Similarity,
    /// How much more than a block's best pair another of its pairs can score.
    slack: f32,
}

impl<'n> ExactPhrase<'n> {
    /// The phrase that `node` is, if it is of this shape.
    pub(crate) fn of(node: &'n Node) -> Option<Self> {
        let Node::Phrase(node) = node else { return None };
        Self::of_phrase(node).filter(|_| node.scoring.similarity.weight >= 0.0)
    }

    pub(crate) fn of_phrase(node: &'n PhraseNode) -> Option<Self> {
        let place = |(offset, terms): &'n (u32, Vec<Term>)| match &terms[..] {
            [term] => Some((*offset, term)),
            _ => None,
        };
        let places = node.positions.iter().map(place).collect::<Option<Vec<_>>>()?;
        (node.slop == 0).then_some(Self { node, places })
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
            if let (Some(places), Some(matching)) = (self.open(segment.view)?, self.matching(segment, mask)?)
            {
                collect_segment(places, matching, best, enough, &mut count);
            }
            if best.is_cut() {
                break;
            }
        }
        Ok(count)
    }

    /// The documents of a segment that match, of those in `mask`, dead or alive.
    pub(crate) fn bits(&self, segment: &SearchSegment<'_>, mask: Option<&Bits>) -> Result<Bits> {
        let mut bits = Bits::none(segment.max_doc());
        if let (Some(mut places), Some(mut matching)) =
            (self.open(segment.view)?, self.matching(segment, mask)?)
        {
            let mut candidates = Vec::new();
            matching.list(&mut candidates);
            candidates.retain(|doc| frequency(&mut places.places, *doc) > 0);
            candidates.into_iter().for_each(|doc| bits.insert(doc));
        }
        Ok(bits)
    }

    /// The documents with all terms; `None` when there are none.
    fn matching<'m>(
        &self,
        segment: &SearchSegment<'_>,
        mask: Option<&'m Bits>,
    ) -> Result<Option<Matching<'m>>> {
        let infos = self.places.iter().map(|(_, term)| segment.view.term_info(term));
        let infos = infos.collect::<Result<Vec<_>>>()?;
        let terms = self.places.iter().zip(&infos).map(|((_, term), info)| (term.field(), info.as_ref()));
        Matching::of_terms(terms, false, segment, mask)
    }

    /// `None` when the segment lacks a term or its positions.
    pub(crate) fn open(&self, view: &SegmentView) -> Result<Option<ExactPlaces>> {
        let mut places = Vec::new();
        for (offset, term) in &self.places {
            let Some(info) = view.term_info(term)? else { return Ok(None) };
            let Some(positions) = view.postings().positions(term.field(), &info)? else { return Ok(None) };
            let blocks = view.postings().blocks(view.reader(), term.field(), &info)?;
            places.push(PlaceAt { offset: *offset, blocks, positions, begins: Vec::new() });
        }
        places.sort_by_key(|place| place.blocks.doc_freq());
        let scoring = &self.node.scoring;
        let norms = Norms::open(view.reader(), scoring.norms).map_err(from_tantivy)?;
        let slack = slack(scoring, view.reader())?;
        Ok(Some(ExactPlaces { places, norms, similarity: scoring.similarity.clone(), slack }))
    }
}

fn collect_segment(
    mut phrase: ExactPlaces,
    mut matching: Matching<'_>,
    best: &mut Best,
    enough: Option<u64>,
    count: &mut Count,
) {
    let mut candidates = Vec::new();
    matching.list(&mut candidates);
    for (looked_at, doc) in candidates.into_iter().enumerate() {
        if looked_at % DOCS_A_LOOK == DOCS_A_LOOK - 1 && best.is_cut() {
            count.exact = false;
            return;
        }
        // Only once enough are counted: what is passed over counts for none.
        let bar = best.bar().filter(|_| enough.is_some_and(|enough| count.total > enough));
        if bar.is_some_and(|bar| !phrase.can_reach(doc, bar)) {
            count.exact = false;
            continue;
        }
        let freq = frequency(&mut phrase.places, doc);
        if freq > 0 {
            count.total += 1;
            if best.limit() > 0 {
                best.offer(doc, phrase.score(freq, doc));
            }
        }
    }
}

impl ExactPlaces {
    fn score(&self, freq: u32, doc: DocId) -> f32 {
        self.similarity.score(freq as f32, self.norms.of(doc))
    }

    /// (frequency, norm) in `doc`, if the phrase stands there. Never to be asked for an earlier document than
    /// before.
    pub(crate) fn counts(&mut self, doc: DocId) -> Option<(f32, u8)> {
        if !self.places.iter_mut().all(|place| place.blocks.freq_in(doc).is_some()) {
            return None;
        }
        let freq = frequency(&mut self.places, doc);
        (freq > 0).then(|| (freq as f32, self.norms.of(doc)))
    }

    /// The phrase scores no more in `doc`, for it stands there no oftener than each of its terms. Decodes no
    /// position.
    pub(crate) fn bound_of(&mut self, doc: DocId) -> f32 {
        let mut least = u32::MAX;
        for place in &mut self.places {
            let Some(freq) = place.blocks.freq_in(doc) else { return 0.0 };
            least = least.min(freq);
        }
        self.score(least, doc)
    }

    /// By what is known of the blocks of `doc` alone.
    fn block_bound(&mut self, doc: DocId) -> f32 {
        let (similarity, slack) = (&self.similarity, self.slack);
        let of_block = |place: &mut PlaceAt| {
            place.blocks.skip_to(doc);
            let entry = place.blocks.entry();
            similarity.bound(entry.best.map(|pair| (pair.freq, pair.norm)), entry.freq_max, slack)
        };
        self.places.iter_mut().map(of_block).fold(similarity.most(), f32::min)
    }

    #[inline]
    fn can_reach(&mut self, doc: DocId, bar: f32) -> bool {
        // The first decodes nothing, the second no positions.
        self.block_bound(doc) > bar && self.bound_of(doc) > bar
    }
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
