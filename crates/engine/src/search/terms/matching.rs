//! Which documents match, without scores. A segment is taken in chunks of 65,536 documents, so that a chunk's
//! bits (8 KiB) stay in the first-level cache: unions set bits, conjunctions thin out the documents of the
//! rarest term.

use meter::Allowance;
use plan::Result;
use tantivy::DocId;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

use super::query::{Count, TermQuery, allows};
use crate::search::context::SearchSegment;
use crate::segment::bits::Bits;
use crate::segment::postings::TermBlocks;
use crate::segment::term_bits::TermBits;

/// Documents of a chunk.
pub(super) const CHUNK: u32 = 1 << 16;
const CHUNK_WORDS: usize = (CHUNK / 64) as usize;
type Words = [u64; CHUNK_WORDS];

/// A term with more than this many documents for each candidate is asked for each; below, it is laid out as
/// bits first.
const SEEK_FROM: u64 = 16;

/// The documents of one term.
struct List {
    blocks: TermBlocks,
    /// All of them as bits, where the segment keeps those.
    bits: Option<TermBits>,
}

/// The matches of one segment.
pub(crate) struct Matching<'a> {
    /// From rare to frequent.
    lists: Vec<List>,
    union: bool,
    mask: Option<&'a Bits>,
    /// Whether the mask leaves so few documents that they are asked for one by one.
    mask_leads: bool,
    max_doc: u32,
    /// Made when first needed: a rare term needs none.
    words: Option<Box<Words>>,
    /// The words of the chunk that was laid out last; those behind them say nothing.
    laid_out: usize,
    candidates: Vec<DocId>,
    /// Looked at once a chunk.
    allowance: Allowance,
}

impl<'a> Matching<'a> {
    /// `None` when nothing can match.
    pub(super) fn open(
        query: &TermQuery<'_>,
        segment: &SearchSegment<'_>,
        mask: Option<&'a Bits>,
    ) -> Result<Option<Self>> {
        let union = query.is_union();
        let nodes = if union { &query.optional } else { &query.required };
        let infos = nodes.iter().map(|node| (node.term.field(), node.info_in(segment.number)));
        Self::of_terms(infos, union, segment, mask)
    }

    /// Matches of any (`union`) or all of some terms, given where their postings are.
    pub(crate) fn of_terms<'t>(
        terms: impl Iterator<Item = (Field, Option<&'t TermInfo>)>,
        union: bool,
        segment: &SearchSegment<'_>,
        mask: Option<&'a Bits>,
    ) -> Result<Option<Self>> {
        let mut lists = Vec::new();
        for (field, info) in terms {
            match info {
                Some(info) => {
                    let blocks = segment.view.postings().blocks(segment.reader, field, info)?;
                    lists.push(List { blocks, bits: segment.view.term_bits(field, info) });
                }
                None if union => {}
                None => return Ok(None),
            }
        }
        // What the rarest lacks, no other is asked about.
        lists.sort_by_key(|list| list.blocks.doc_freq());
        let Some(rarest) = lists.first() else { return Ok(None) };
        let max_doc = segment.max_doc();
        // Where all terms are there as bits, words are quicker than documents unless these are very few.
        let least = match lists.iter().all(|list| list.bits.is_some()) {
            true => max_doc / 256,
            false => rarest.blocks.doc_freq(),
        };
        let mask_leads = !union && mask.is_some_and(|mask| mask.count() < least);
        let allowance = segment.allowance.clone();
        let (words, laid_out, candidates) = Default::default();
        Ok(Some(Self { lists, union, mask, mask_leads, max_doc, words, laid_out, candidates, allowance }))
    }

    /// Whether it is best to ask for the mask's documents one by one.
    pub(super) fn mask_leads(&self) -> bool {
        self.mask_leads
    }

    /// How many match; with `enough`, no chunk is looked at once there are more.
    pub(super) fn count(&mut self, enough: Option<u64>) -> Count {
        // Without a mask all documents live, and the dictionary has counted them.
        if let ([only], None) = (&self.lists[..], self.mask) {
            return Count::exact(u64::from(only.blocks.doc_freq()));
        }
        let (mut count, mut docs) = (0, Vec::new());
        for from in chunks(self.max_doc) {
            if enough.is_some_and(|enough| count > enough) || self.allowance.was_used_up() {
                return Count { total: count, exact: false };
            }
            if self.lay_out(from) {
                count += self.laid_out().iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            } else {
                docs.clear();
                self.thin_out(from, &mut docs);
                count += docs.len() as u64;
            }
            // A look at the clock once a chunk; what it finds is asked above.
            self.allowance.is_used_up();
        }
        Count::exact(count)
    }

    /// Adds the matches to `found`, in ascending order.
    pub(crate) fn list(&mut self, found: &mut Vec<DocId>) {
        for from in chunks(self.max_doc) {
            if self.lay_out(from) {
                expand(from, self.laid_out(), found);
            } else {
                self.thin_out(from, found);
            }
            if self.allowance.is_used_up() {
                return;
            }
        }
    }

    pub(crate) fn fill(&mut self, bits: &mut Bits) {
        let mut docs = Vec::new();
        for from in chunks(self.max_doc) {
            if self.lay_out(from) {
                bits.put_words(from, self.laid_out());
            } else {
                docs.clear();
                self.thin_out(from, &mut docs);
                docs.iter().for_each(|doc| bits.insert(*doc));
            }
            if self.allowance.is_used_up() {
                return;
            }
        }
    }

    /// The bits of the chunk that was laid out last.
    fn laid_out(&self) -> &[u64] {
        self.words.as_deref().and_then(|words| words.get(..self.laid_out)).unwrap_or_default()
    }

    /// Sets the bits of a chunk's matches where words can do it: for unions, single terms, and dense terms.
    /// False where the documents of the rarest term are better thinned out.
    fn lay_out(&mut self, from: DocId) -> bool {
        if self.union || self.lists.len() == 1 && !self.mask_leads {
            self.lay_out_union(from);
            return true;
        }
        // Of fields that keep no bits, even a frequent term has none.
        if self.mask_leads || self.lists.iter().any(|list| list.bits.is_none()) {
            return false;
        }
        self.laid_out = words_in(from, self.max_doc);
        let words = filled(&mut self.words, self.laid_out, u64::MAX);
        for bits in self.lists.iter().filter_map(|list| list.bits.as_ref()) {
            bits.keep_common(from, &mut words[..self.laid_out]);
        }
        if let Some(mask) = self.mask {
            mask.keep_common(from, &mut words[..self.laid_out]);
        }
        true
    }

    fn lay_out_union(&mut self, from: DocId) {
        self.laid_out = words_in(from, self.max_doc);
        let words = filled(&mut self.words, self.laid_out, 0);
        for list in &mut self.lists {
            list.lay_out(from, words, self.laid_out);
        }
        if let Some(mask) = self.mask {
            mask.keep_common(from, &mut words[..self.laid_out]);
        }
    }

    /// Adds the matches of a chunk: the documents of what has the fewest, as far as everything else has them
    /// too.
    fn thin_out(&mut self, from: DocId, found: &mut Vec<DocId>) {
        let to = from.saturating_add(CHUNK).min(self.max_doc);
        let mut docs = std::mem::take(&mut self.candidates);
        docs.clear();
        let mut lists = self.lists.iter_mut();
        match self.mask {
            Some(mask) if self.mask_leads => docs.extend(mask.iter_in(from, to)),
            mask => {
                if let Some(rarest) = lists.next() {
                    rarest.blocks.for_each_in(from, to, |block| docs.extend_from_slice(block));
                }
                docs.retain(|doc| allows(mask, *doc));
            }
        }
        for list in lists {
            if !docs.is_empty() {
                list.retain(&mut docs, from, self.max_doc, &mut self.words);
            }
        }
        found.extend_from_slice(&docs);
        self.candidates = docs;
    }
}

impl List {
    /// Adds the documents of a chunk to its bits, which are the first `len` words.
    fn lay_out(&mut self, from: DocId, words: &mut Words, len: usize) {
        match &self.bits {
            Some(bits) => bits.add_words(from, &mut words[..len]),
            None => self.blocks.for_each_in(from, from.saturating_add(CHUNK), |docs| {
                for doc in docs {
                    words[word_of(*doc)] |= 1 << (doc % 64);
                }
            }),
        }
    }

    /// Keeps the documents that have the term.
    fn retain(&mut self, docs: &mut Vec<DocId>, from: DocId, max_doc: u32, words: &mut Option<Box<Words>>) {
        if let Some(bits) = &self.bits {
            return docs.retain(|doc| bits.contains(*doc));
        }
        let in_chunk = u64::from(self.blocks.doc_freq()) * u64::from(CHUNK) / u64::from(max_doc.max(CHUNK));
        if in_chunk > docs.len() as u64 * SEEK_FROM {
            return docs.retain(|doc| self.blocks.contains(*doc));
        }
        let len = words_in(from, max_doc);
        let words = filled(words, len, 0);
        self.lay_out(from, words, len);
        docs.retain(|doc| words[word_of(*doc)] >> (doc % 64) & 1 == 1);
    }
}

/// The first `len` words, filled. No others: a segment that is small, of which a search has several, would
/// pay for a whole chunk with each of its terms.
fn filled(words: &mut Option<Box<Words>>, len: usize, word: u64) -> &mut Words {
    if let Some(words) = words {
        words[..len].fill(word);
    }
    words.get_or_insert_with(|| Box::new([word; CHUNK_WORDS]))
}

/// How many words a chunk has; the last one of a segment is shorter.
fn words_in(from: DocId, max_doc: u32) -> usize {
    max_doc.saturating_sub(from).min(CHUNK).div_ceil(64) as usize
}

#[inline]
fn word_of(doc: DocId) -> usize {
    (doc / 64) as usize % CHUNK_WORDS
}

/// The first document of each chunk.
fn chunks(max_doc: u32) -> impl Iterator<Item = DocId> {
    (0..max_doc).step_by(CHUNK as usize)
}

fn expand(from: DocId, words: &[u64], docs: &mut Vec<DocId>) {
    for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
        let mut rest = *word;
        while rest != 0 {
            docs.push(from + at as u32 * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}
