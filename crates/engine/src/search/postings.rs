//! The postings of a term in a segment, block by block, read straight from tantivy's files: where a block ends and how much
//! its best document can score is known without decoding it, and documents are decoded apart from frequencies. Tantivy's own
//! cursor decodes every block it moves to and shows none of that.
//!
//! Format (tantivy 0.27, `postings::{serializer, skip}`): blocks of 128 documents, bit-packed by `bitpacking`'s 4x layout as
//! strictly ascending deltas, followed by their frequencies less one; the rest in variable-length integers. In front, where
//! there is a whole block, stand the skip entries: last document (u32), bits of a delta, and for fields with frequencies
//! bits of a frequency, (with positions) the sum of frequencies (u32), and the (norm id, frequency) that scored best.

use bitpacking::{BitPacker, BitPacker4x};
use plan::{Error, Result};
use tantivy::directory::{CompositeFile, FileSlice, OwnedBytes};
use tantivy::index::SegmentComponent;
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader, TERMINATED};

use super::block::{BLOCK, Decoded, packed_value, read_vint};
use super::error::engine_error;
use super::positions::TermPositions;
use crate::dense_terms::TermBits;

/// In front of a field's postings stands its number of tokens.
const FIELD_HEADER: usize = 8;

/// The postings of all fields of a segment.
pub(crate) struct PostingsFile {
    fields: CompositeFile,
    /// Missing where no field keeps positions.
    positions: Option<CompositeFile>,
}

impl PostingsFile {
    pub(crate) fn open(reader: &SegmentReader) -> Result<Self> {
        let file = reader.open_read(SegmentComponent::Postings).map_err(engine_error)?;
        let fields = CompositeFile::open(&file).map_err(engine_error)?;
        let positions = match reader.open_read(SegmentComponent::Positions) {
            Ok(file) => Some(CompositeFile::open(&file).map_err(engine_error)?),
            Err(_) => None,
        };
        Ok(Self { fields, positions })
    }

    /// The positions of a term, `None` where its field keeps none.
    pub(crate) fn positions(&self, field: Field, info: &TermInfo) -> Result<Option<TermPositions>> {
        let Some(file) = self.positions.as_ref().and_then(|file| file.open_read(field)) else {
            return Ok(None);
        };
        let bytes = file.read_bytes_slice(info.positions_range.clone()).map_err(engine_error)?;
        TermPositions::open(bytes).map(Some)
    }

    /// A cursor at the first block of a term's postings; `info` is the term's, in this segment.
    pub(crate) fn blocks(&self, reader: &SegmentReader, field: Field, info: &TermInfo) -> Result<TermBlocks> {
        self.field(reader, field)?.blocks(info)
    }

    /// The postings of one field.
    pub(crate) fn field(&self, reader: &SegmentReader, field: Field) -> Result<FieldPostings> {
        let entry = reader.schema().get_field_entry(field);
        let option = entry.field_type().index_record_option().unwrap_or(IndexRecordOption::Basic);
        let file = self.fields.open_read(field).ok_or_else(|| damaged("a field has no postings"))?;
        Ok(FieldPostings { file, option })
    }
}

/// The postings of one field of a segment.
pub(crate) struct FieldPostings {
    file: FileSlice,
    option: IndexRecordOption,
}

impl FieldPostings {
    fn blocks(&self, info: &TermInfo) -> Result<TermBlocks> {
        TermBlocks::open(self.bytes(info)?, info.doc_freq, self.option)
    }

    fn bytes(&self, info: &TermInfo) -> Result<OwnedBytes> {
        let range = info.postings_range.start + FIELD_HEADER..info.postings_range.end + FIELD_HEADER;
        self.file.read_bytes_slice(range).map_err(engine_error)
    }

    /// Calls `each` with the documents of a term. Terms that fill no block, which most are, need no cursor.
    pub(crate) fn for_each_doc(&self, info: &TermInfo, mut each: impl FnMut(DocId)) -> Result<()> {
        if info.doc_freq as usize >= BLOCK {
            self.blocks(info)?.for_each_in(0, TERMINATED, |docs| docs.iter().copied().for_each(&mut each));
            return Ok(());
        }
        let (bytes, mut at, mut doc) = (self.bytes(info)?, 0, 0u32);
        for _ in 0..info.doc_freq {
            let delta = read_vint(&bytes, &mut at).ok_or_else(|| damaged("postings break off"))?;
            doc = doc.saturating_add(delta);
            each(doc);
        }
        Ok(())
    }
}

pub(super) fn damaged(what: &str) -> Error {
    Error::internal(format!("{what}; the segment is damaged: restore the shard"))
}

/// A norm and a frequency that stand in one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) norm: u8,
    pub(crate) freq: u32,
}

/// What is known of a block without decoding it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The pair that scored best when the block was written, if the writer knew lengths.
    pub(crate) best: Option<Pair>,
    /// No document of the block has a greater frequency.
    pub(crate) freq_max: u32,
    extent: Extent,
}

/// Where a block ends, among the documents and in the files.
#[derive(Clone, Copy, Debug)]
struct Extent {
    last: DocId,
    doc_bits: u8,
    freq_bits: u8,
    /// Sum of the block's frequencies, where positions are kept.
    freq_sum: u32,
}

impl Entry {
    fn tail(has_freqs: bool) -> Self {
        let freq_max = if has_freqs { u32::MAX } else { 1 };
        let extent = Extent { last: TERMINATED, doc_bits: 0, freq_bits: 0, freq_sum: 0 };
        Self { best: None, freq_max, extent }
    }

    /// The last document of the block; [`TERMINATED`] for the rest that fills no block.
    #[inline]
    pub(crate) fn last(&self) -> DocId {
        self.extent.last
    }
}

/// A cursor over the blocks of one term. Moves forward only.
pub(crate) struct TermBlocks {
    /// Skip entries, then blocks.
    bytes: OwnedBytes,
    skips: std::ops::Range<usize>,
    has_freqs: bool,
    has_positions: bool,
    doc_freq: u32,
    /// Documents in blocks after the current one's start.
    remaining: u32,
    /// Where the current block begins.
    at: usize,
    /// The last document before the current block.
    before: DocId,
    entry: Entry,
    /// Positions in earlier blocks.
    positions_before: u64,
    packer: BitPacker4x,
    docs: Decoded,
    freqs: Decoded,
    /// For each document of the block, the positions of those before it in the block.
    starts: Decoded,
    /// The place in the block last found by [`TermBlocks::place_of`].
    place: usize,
}

impl TermBlocks {
    fn open(bytes: OwnedBytes, doc_freq: u32, option: IndexRecordOption) -> Result<Self> {
        let (mut skips, mut at) = (0..0, 0);
        if doc_freq as usize >= BLOCK {
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
            has_freqs: option.has_freq(),
            has_positions: option.has_positions(),
            doc_freq,
            remaining: doc_freq,
            at,
            before: 0,
            entry: Entry::tail(option.has_freq()),
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
    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Looks ahead at the blocks that reach below `to`, the current one first, and stays where it is.
    #[inline]
    pub(crate) fn look_ahead(&self, to: DocId, mut each: impl FnMut(&Entry)) {
        let (mut entry, mut before) = (self.entry, self.before);
        let (mut skips, mut remaining) = (self.skips.clone(), self.remaining);
        while before < to {
            each(&entry);
            if entry.last() == TERMINATED {
                return;
            }
            before = entry.last();
            remaining -= BLOCK as u32;
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

    /// Leaves the current block and those behind it that end before `target`. Of these no more is read than where they end.
    fn pass(&mut self, target: DocId) {
        self.leave();
        let (size, start) = (self.entry_size(), self.skips.start);
        let (mut passed, mut values, mut positions, mut before) = (0, 0, 0, self.before);
        let ahead = self.bytes.as_slice().get(self.skips.clone()).unwrap_or(&[]);
        for extent in ahead.chunks_exact(size).map_while(|entry| self.extent(entry)) {
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
        self.at += values * BLOCK / 8;
        self.remaining = self.remaining.saturating_sub((passed * BLOCK) as u32);
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
        self.at +=
            (usize::from(self.entry.extent.doc_bits) + usize::from(self.entry.extent.freq_bits)) * BLOCK / 8;
        self.remaining -= BLOCK as u32;
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

    /// As [`TermBlocks::freq_in`], where the term's documents are there as bits: the block's documents stay packed.
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
        let start = self.at + usize::from(self.entry.extent.doc_bits) * BLOCK / 8;
        Some(packed_value(self.bytes.as_slice().get(start..)?, self.entry.extent.freq_bits, place)? + 1)
    }

    #[inline]
    pub(crate) fn contains(&mut self, doc: DocId) -> bool {
        self.skip_to(doc);
        self.docs().binary_search(&doc).is_ok()
    }

    /// Where the positions of `doc` begin among the term's, and how many they are. Later calls must not go back.
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

    /// Calls `each` with the documents from `from` up to and without `to` and their frequencies, block by block. Later calls
    /// must not go back.
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

    /// Calls `each` with the documents from `from` up to and without `to`, block by block. Later calls must not go back.
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
    fn entry_at(&self, at: &mut usize, remaining: u32) -> Entry {
        let packed = if remaining as usize >= BLOCK { self.packed_entry(at) } else { None };
        packed.unwrap_or(Entry::tail(self.has_freqs))
    }

    #[inline]
    fn packed_entry(&self, at: &mut usize) -> Option<Entry> {
        let size = self.entry_size();
        let bytes = self.bytes.as_slice().get(*at..*at + size)?;
        *at += size;
        let extent = self.extent(bytes)?;
        if !self.has_freqs {
            return Some(Entry { best: None, freq_max: 1, extent });
        }
        let (norm, freq) = (*bytes.get(size - 2)?, *bytes.get(size - 1)?);
        // A frequency of 0 was never seen: nothing was computed. 255 stands for any above.
        let freq = if freq == u8::MAX { u32::MAX } else { u32::from(freq) };
        let best = (freq > 0).then_some(Pair { norm, freq });
        let freq_max = 1u32.checked_shl(u32::from(extent.freq_bits)).unwrap_or(u32::MAX);
        Some(Entry { best, freq_max, extent })
    }

    /// Bytes of a skip entry.
    #[inline]
    fn entry_size(&self) -> usize {
        match (self.has_freqs, self.has_positions) {
            (false, _) => 5,
            (true, false) => 8,
            (true, true) => 12,
        }
    }

    /// Where the block of a skip entry ends.
    #[inline]
    fn extent(&self, entry: &[u8]) -> Option<Extent> {
        const DELTA_BITS: u8 = 0x1f;
        let number = |at: usize| Some(u32::from_le_bytes(entry.get(at..at + 4)?.try_into().ok()?));
        Some(Extent {
            last: number(0)?,
            doc_bits: entry.get(4)? & DELTA_BITS,
            freq_bits: if self.has_freqs { *entry.get(5)? } else { 0 },
            freq_sum: if self.has_freqs && self.has_positions { number(6)? } else { 0 },
        })
    }

    #[cold]
    fn load_docs(&mut self) {
        self.docs.loaded = true;
        let data = self.bytes.as_slice().get(self.at..).unwrap_or(&[]);
        if !self.in_tail() {
            let before = (self.before > 0).then_some(self.before);
            let room = self.docs.room();
            self.packer.decompress_strictly_sorted(before, data, room, self.entry.extent.doc_bits);
            self.docs.len = BLOCK;
            return;
        }
        self.docs.len = self.remaining as usize % BLOCK;
        let (mut read, mut doc) = (0, self.before);
        let len = self.docs.len;
        for value in self.docs.room().iter_mut().take(len) {
            doc = doc.saturating_add(read_vint(data, &mut read).unwrap_or(0));
            *value = doc;
        }
    }

    #[cold]
    fn load_freqs(&mut self) {
        self.freqs.loaded = true;
        let data = self.bytes.as_slice().get(self.at..).unwrap_or(&[]);
        self.freqs.len = if self.in_tail() { self.remaining as usize % BLOCK } else { BLOCK };
        if !self.has_freqs {
            self.freqs.room().fill(1);
        } else if self.in_tail() {
            let mut read = 0;
            for _ in 0..self.freqs.len {
                read_vint(data, &mut read);
            }
            let len = self.freqs.len;
            for value in self.freqs.room().iter_mut().take(len) {
                *value = read_vint(data, &mut read).unwrap_or(1);
            }
        } else {
            let start = usize::from(self.entry.extent.doc_bits) * BLOCK / 8;
            let packed = data.get(start..).unwrap_or(&[]);
            let room = self.freqs.room();
            self.packer.decompress(packed, room, self.entry.extent.freq_bits);
            room.iter_mut().for_each(|value| *value += 1);
        }
    }
}
