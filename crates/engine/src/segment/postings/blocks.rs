//! A cursor over the blocks of one term: where it stands, what it has decoded of the block, and the ways to
//! move on. Forward only.
//!
//! In: the bytes of a term's postings in tantivy's format (`postings`); out: documents, frequencies and the
//! places of positions, and of each block what is known without decoding it. Documents, frequencies and
//! places are decoded apart, each when it is first asked for. Scores and bounds are made by `search/terms`.

use bitpacking::{BitPacker, BitPacker4x};
use plan::Result;
use tantivy::directory::OwnedBytes;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, TERMINATED};

use super::entry::{EntryForm, SkipEntry};
use crate::segment::postings::block::{
    Decoded, POSTINGS_BLOCK, damaged, next_vint, packed_value, read_vint, skip_vints,
};
use crate::segment::term_bits::TermBits;

/// A cursor over the blocks of one term. Moves forward only.
pub(crate) struct TermBlocks {
    /// Skip entries, then blocks.
    bytes: OwnedBytes,
    skips: std::ops::Range<usize>,
    form: EntryForm,
    doc_freq: u32,
    /// Documents in blocks after the current one's start.
    remaining: u32,
    /// Where the current block begins.
    at: usize,
    /// The last document before the current block.
    before: DocId,
    entry: SkipEntry,
    /// Positions in earlier blocks.
    positions_before: u64,
    packer: BitPacker4x,
    docs: Decoded,
    freqs: Decoded,
    /// For each document of the block, the positions of those before it in the block.
    starts: Decoded,
    /// The place in the block last found by [`TermBlocks::place_ahead`].
    place: usize,
}

impl TermBlocks {
    pub(crate) fn open(bytes: OwnedBytes, doc_freq: u32, option: IndexRecordOption) -> Result<Self> {
        let (mut skips, mut at) = (0..0, 0);
        if doc_freq as usize >= POSTINGS_BLOCK {
            let mut read = 0;
            let length = read_vint(&bytes, &mut read).ok_or_else(|| damaged("postings break off"))? as usize;
            skips = read..read + length;
            at = skips.end;
        }
        if at > bytes.len() {
            return Err(damaged("postings break off"));
        }
        let mut blocks = Self {
            bytes,
            skips,
            form: EntryForm::of(option),
            doc_freq,
            remaining: doc_freq,
            at,
            before: 0,
            entry: EntryForm::of(option).tail(),
            positions_before: 0,
            packer: BitPacker4x::new(),
            docs: Decoded::default(),
            freqs: Decoded::default(),
            starts: Decoded::default(),
            place: 0,
        };
        blocks.read_entry();
        Ok(blocks)
    }

    /// Documents with the term, dead ones included.
    pub(crate) fn doc_freq(&self) -> u32 {
        self.doc_freq
    }

    /// What is known of the current block.
    #[inline]
    pub(crate) fn entry(&self) -> &SkipEntry {
        &self.entry
    }

    /// Looks ahead at the blocks that reach below `to`, the current one first, and stays where it is.
    #[inline]
    pub(crate) fn look_ahead(&self, to: DocId, mut each: impl FnMut(&SkipEntry)) {
        let (mut entry, mut before) = (self.entry, self.before);
        let (mut skips, mut remaining) = (self.skips.clone(), self.remaining);
        while before < to {
            each(&entry);
            if entry.last() == TERMINATED {
                return;
            }
            before = entry.last();
            remaining -= POSTINGS_BLOCK as u32;
            entry = self.entry_at(&mut skips.start, remaining);
        }
    }

    /// Whether the current block is the last one, which fills no block.
    #[inline]
    pub(crate) fn in_tail(&self) -> bool {
        self.entry.last() == TERMINATED
    }

    /// Moves to the block that holds the first document at or after `target`, decoding nothing.
    #[inline]
    pub(crate) fn skip_to(&mut self, target: DocId) {
        if self.entry.last() < target {
            self.pass(target);
        }
    }

    /// Leaves the current block and those behind it that end before `target`. Of these no more is read than
    /// where they end.
    fn pass(&mut self, target: DocId) {
        self.leave();
        let (size, start) = (self.form.size(), self.skips.start);
        let (mut passed, mut values, mut positions, mut before) = (0, 0, 0, self.before);
        let ahead = self.bytes.as_slice().get(self.skips.clone()).unwrap_or(&[]);
        for extent in ahead.chunks_exact(size).map_while(|entry| self.form.extent(entry)) {
            if extent.last >= target {
                break;
            }
            before = extent.last;
            passed += 1;
            values += usize::from(extent.doc_bits) + usize::from(extent.freq_bits);
            positions += u64::from(extent.freq_sum);
        }
        self.before = before;
        self.skips.start = start + passed * size;
        self.at += values * POSTINGS_BLOCK / 8;
        self.remaining = self.remaining.saturating_sub((passed * POSTINGS_BLOCK) as u32);
        self.positions_before += positions;
        self.read_entry();
    }

    /// Moves on by one block; stays on the last.
    #[inline]
    pub(crate) fn next_block(&mut self) {
        if !self.in_tail() {
            self.leave();
            self.read_entry();
        }
    }

    /// Stands behind the current block, whose entry is still there.
    #[inline]
    fn leave(&mut self) {
        self.at += (usize::from(self.entry.extent.doc_bits) + usize::from(self.entry.extent.freq_bits))
            * POSTINGS_BLOCK
            / 8;
        self.remaining -= POSTINGS_BLOCK as u32;
        self.before = self.entry.last();
        self.positions_before += u64::from(self.entry.extent.freq_sum);
    }

    /// The documents of the current block.
    #[inline]
    pub(crate) fn docs(&mut self) -> &[DocId] {
        if !self.docs.loaded {
            self.load_docs();
        }
        self.docs.get()
    }

    /// The documents of the current block and their frequencies.
    #[inline]
    pub(crate) fn docs_and_freqs(&mut self) -> (&[DocId], &[u32]) {
        if !self.docs.loaded {
            self.load_docs();
        }
        if !self.freqs.loaded {
            self.load_freqs();
        }
        (self.docs.get(), self.freqs.get())
    }

    /// How often the term stands in `doc`; `None` if it does not. Later calls must not go back.
    #[inline]
    pub(crate) fn freq_in(&mut self, doc: DocId) -> Option<u32> {
        self.skip_to(doc);
        self.docs();
        let place = self.place_ahead(doc)?;
        self.freq_at(place)
    }

    /// As [`TermBlocks::freq_in`], where the term's documents are there as bits: the block's documents stay
    /// packed.
    #[inline]
    pub(crate) fn freq_by_rank(&mut self, doc: DocId, bits: &TermBits) -> Option<u32> {
        if !bits.contains(doc) {
            return None;
        }
        self.skip_to(doc);
        if self.docs.loaded {
            let place = self.place_ahead(doc)?;
            return self.freq_at(place);
        }
        // Only the first block can begin at document 0.
        let first = if self.before > 0 { self.before + 1 } else { 0 };
        self.freq_at(bits.count(first..doc) as usize)
    }

    /// The frequency of the document at a place of the current block.
    #[inline]
    fn freq_at(&mut self, place: usize) -> Option<u32> {
        if self.entry.freq_max == 1 {
            return Some(1);
        }
        if self.freqs.loaded || self.in_tail() {
            if !self.freqs.loaded {
                self.load_freqs();
            }
            return self.freqs.get().get(place).copied();
        }
        let start = self.at + usize::from(self.entry.extent.doc_bits) * POSTINGS_BLOCK / 8;
        Some(packed_value(self.bytes.as_slice().get(start..)?, self.entry.extent.freq_bits, place)? + 1)
    }

    #[inline]
    pub(crate) fn contains(&mut self, doc: DocId) -> bool {
        self.skip_to(doc);
        self.docs().binary_search(&doc).is_ok()
    }

    /// Where the positions of `doc` begin among the term's, and how many they are. Later calls must not go
    /// back.
    #[inline]
    pub(crate) fn positions_of(&mut self, doc: DocId) -> Option<(u64, u32)> {
        self.skip_to(doc);
        if !self.starts.loaded {
            self.load_starts();
        }
        let place = self.place_ahead(doc)?;
        let start = self.starts.get().get(place).copied()?;
        Some((self.positions_before + u64::from(start), *self.freqs.get().get(place)?))
    }

    /// Where `doc` stands in the current block, whose documents are decoded.
    #[inline]
    fn place_ahead(&mut self, doc: DocId) -> Option<usize> {
        let docs = self.docs.get();
        // Mostly the next one or the one after; else not worth a walk.
        let near = self.place + 4;
        if docs.get(near).is_some_and(|near| *near < doc) {
            self.place = near + docs.get(near..)?.partition_point(|other| *other < doc);
        }
        while docs.get(self.place).is_some_and(|other| *other < doc) {
            self.place += 1;
        }
        (*docs.get(self.place)? == doc).then_some(self.place)
    }

    #[cold]
    fn load_starts(&mut self) {
        self.docs_and_freqs();
        self.starts.loaded = true;
        self.starts.len = self.freqs.len;
        let mut sum = 0;
        for (start, freq) in self.starts.room().iter_mut().zip(self.freqs.get()) {
            *start = sum;
            sum = sum.wrapping_add(*freq);
        }
    }

    /// Calls `each` with the documents from `from` up to and without `to` and their frequencies, block by
    /// block. Later calls must not go back.
    #[inline]
    pub(crate) fn for_each_with_freqs(
        &mut self,
        from: DocId,
        to: DocId,
        mut each: impl FnMut(&[DocId], &[u32]),
    ) {
        self.skip_to(from);
        while self.before < to {
            let (before, last) = (self.before, self.entry.last());
            let (docs, freqs) = self.docs_and_freqs();
            let start = if before < from { docs.partition_point(|doc| *doc < from) } else { 0 };
            let end = if last >= to { docs.partition_point(|doc| *doc < to) } else { docs.len() };
            if let (Some(docs), Some(freqs)) = (docs.get(start..end), freqs.get(start..end)) {
                each(docs, freqs);
            }
            if last >= to {
                return;
            }
            self.next_block();
        }
    }

    /// Calls `each` with the documents from `from` up to and without `to`, block by block. Later calls must
    /// not go back.
    #[inline]
    pub(crate) fn for_each_in(&mut self, from: DocId, to: DocId, mut each: impl FnMut(&[DocId])) {
        self.skip_to(from);
        while self.before < to {
            let (before, last) = (self.before, self.entry.last());
            let docs = self.docs();
            let start = if before < from { docs.partition_point(|doc| *doc < from) } else { 0 };
            let end = if last >= to { docs.partition_point(|doc| *doc < to) } else { docs.len() };
            if let Some(docs) = docs.get(start..end) {
                each(docs);
            }
            if last >= to {
                return;
            }
            self.next_block();
        }
    }

    #[inline]
    fn read_entry(&mut self) {
        (self.docs.loaded, self.freqs.loaded, self.starts.loaded, self.place) = (false, false, false, 0);
        let mut at = self.skips.start;
        self.entry = self.entry_at(&mut at, self.remaining);
        self.skips.start = at;
    }

    /// The entry that begins at `at`, where `remaining` documents are left, and moves `at` behind it.
    #[inline]
    fn entry_at(&self, at: &mut usize, remaining: u32) -> SkipEntry {
        let packed = if remaining as usize >= POSTINGS_BLOCK { self.packed_entry(at) } else { None };
        packed.unwrap_or(self.form.tail())
    }

    #[inline]
    fn packed_entry(&self, at: &mut usize) -> Option<SkipEntry> {
        let bytes = self.bytes.as_slice().get(*at..*at + self.form.size())?;
        *at += self.form.size();
        self.form.entry(bytes)
    }

    #[cold]
    fn load_docs(&mut self) {
        self.docs.loaded = true;
        let data = self.bytes.as_slice().get(self.at..).unwrap_or(&[]);
        if !self.in_tail() {
            let before = (self.before > 0).then_some(self.before);
            let room = self.docs.room();
            self.packer.decompress_strictly_sorted(before, data, room, self.entry.extent.doc_bits);
            self.docs.len = POSTINGS_BLOCK;
            return;
        }
        self.docs.len = self.remaining as usize % POSTINGS_BLOCK;
        let (mut rest, mut doc) = (data.iter(), self.before);
        let len = self.docs.len;
        for value in self.docs.room().iter_mut().take(len) {
            doc = doc.saturating_add(next_vint(&mut rest).unwrap_or(0));
            *value = doc;
        }
    }

    #[cold]
    fn load_freqs(&mut self) {
        self.freqs.loaded = true;
        let data = self.bytes.as_slice().get(self.at..).unwrap_or(&[]);
        self.freqs.len =
            if self.in_tail() { self.remaining as usize % POSTINGS_BLOCK } else { POSTINGS_BLOCK };
        if !self.form.has_freqs {
            self.freqs.room().fill(1);
        } else if self.in_tail() {
            let (mut rest, len) = (data.iter(), self.freqs.len);
            skip_vints(&mut rest, len);
            for value in self.freqs.room().iter_mut().take(len) {
                *value = next_vint(&mut rest).unwrap_or(1);
            }
        } else {
            let start = usize::from(self.entry.extent.doc_bits) * POSTINGS_BLOCK / 8;
            let packed = data.get(start..).unwrap_or(&[]);
            let room = self.freqs.room();
            self.packer.decompress(packed, room, self.entry.extent.freq_bits);
            room.iter_mut().for_each(|value| *value += 1);
        }
    }
}
