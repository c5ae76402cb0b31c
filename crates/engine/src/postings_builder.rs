//! The inverted index of a segment in memory. Documents come in groups whose tokens are numbers already; each group becomes
//! one *run*: its tokens sorted by term, packed, and never touched again. Sealing walks the terms in order and the runs of
//! each, and gives postings to tantivy's own serializer, so that the files are tantivy's.
//!
//! Against looking up and appending to each token's term one by one, which is what tantivy's writer does, this touches the
//! memory of a term once a group and writes in order. Why and what it gained: docs/adr/0005.

use tantivy::fieldnorm::FieldNormReaders;
use tantivy::index::SegmentComponent;
use tantivy::postings::{FieldSerializer, InvertedIndexSerializer};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{DocId, Segment};

use crate::bytes::{Reader, put_unsigned};
use crate::term_table::TermTable;
use crate::tokens::Token;

/// Postings of the documents added so far.
pub(crate) struct PostingsBuilder {
    /// By number of the field; `None` where nothing is indexed.
    records: Vec<Option<IndexRecordOption>>,
    /// Tokens of each field, which tantivy writes before its postings.
    tokens: Vec<u64>,
    terms: TermTable,
    runs: Vec<Run>,
    run_bytes: usize,
    open: OpenRun,
}

/// Documents that wait for their run, with the numbers of their group's table.
#[derive(Default)]
struct OpenRun {
    tokens: Vec<Token>,
    /// Each document with the end of its tokens.
    docs: Vec<(DocId, usize)>,
}

/// The packed postings of one group.
struct Run {
    /// The first document is a difference to this.
    doc_base: DocId,
    parts: Box<[Part]>,
    bytes: Box<[u8]>,
}

/// One term's postings in a run.
#[derive(Clone, Copy)]
struct Part {
    term: u32,
    doc_freq: u32,
    /// They begin where the part before ends.
    end: u32,
}

impl PostingsBuilder {
    pub(crate) fn new(schema: &Schema) -> Self {
        let record = |entry: &tantivy::schema::FieldEntry| {
            let indexed = entry.is_indexed();
            indexed.then(|| entry.field_type().index_record_option().unwrap_or(IndexRecordOption::Basic))
        };
        let records: Vec<_> = schema.fields().map(|(_, entry)| record(entry)).collect();
        let tokens = vec![0; records.len()];
        let (terms, open) = (TermTable::default(), OpenRun::default());
        Self { records, tokens, terms, runs: Vec::new(), run_bytes: 0, open }
    }

    /// Adds the tokens of a document, higher than all before. They count once their run is closed.
    pub(crate) fn add(&mut self, doc: DocId, tokens: &[Token]) {
        self.open.tokens.extend_from_slice(tokens);
        self.open.docs.push((doc, self.open.tokens.len()));
    }

    /// Memory held.
    pub(crate) fn memory(&self) -> usize {
        self.terms.memory() + self.run_bytes + self.open.tokens.capacity() * size_of::<Token>()
    }

    /// Packs what was added since the last run; `group` is the table its numbers are of.
    pub(crate) fn close_run(&mut self, group: &TermTable) {
        let Some((doc_base, _)) = self.open.docs.first().copied() else { return };
        let open = std::mem::take(&mut self.open);
        let sorted = open.by_term(group.len());
        let mut parts = Vec::with_capacity(sorted.terms());
        let mut bytes = Vec::with_capacity(open.tokens.len() * 3);
        for (number, occurrences) in sorted.iter() {
            let Some(term) = group.term(number) else { continue };
            let field = term.field.field_id() as usize;
            let Some(record) = self.records.get(field).copied().flatten() else { continue };
            if let Some(tokens) = self.tokens.get_mut(field) {
                *tokens += occurrences.len() as u64;
            }
            let doc_freq = pack(occurrences, doc_base, record, &mut bytes);
            parts.push(Part { term: self.terms.number(term), doc_freq, end: bytes.len() as u32 });
        }
        self.run_bytes += parts.len() * size_of::<Part>() + bytes.len();
        self.runs.push(Run { doc_base, parts: parts.into(), bytes: bytes.into() });
        self.open = open.emptied();
    }

    /// Writes the postings, positions and terms of `segment`, whose lengths are written already.
    pub(crate) fn serialize(&self, segment: &Segment) -> tantivy::Result<()> {
        let norms = FieldNormReaders::open(segment.open_read(SegmentComponent::FieldNorms)?)?;
        let mut serializer = InvertedIndexSerializer::open(segment)?;
        let places = self.places();
        let sorted = self.terms.sorted();
        let field_of = |number: &u32| self.terms.term(*number).map(|term| term.field);
        for terms in sorted.chunk_by(|left, right| field_of(left) == field_of(right)) {
            let Some(field) = terms.first().and_then(field_of) else { continue };
            let total = self.tokens.get(field.field_id() as usize).copied().unwrap_or_default();
            let mut out = serializer.new_field(field, total, norms.get_field(field)?)?;
            self.serialize_field(field, terms, &places, &mut out)?;
            out.close()?;
        }
        serializer.close()?;
        Ok(())
    }

    fn serialize_field(
        &self,
        field: Field,
        terms: &[u32],
        places: &Places,
        out: &mut FieldSerializer<'_>,
    ) -> tantivy::Result<()> {
        let record = self.records.get(field.field_id() as usize).copied().flatten();
        let record = record.unwrap_or(IndexRecordOption::Basic);
        let mut deltas = Vec::new();
        for number in terms {
            let Some(term) = self.terms.term(*number) else { continue };
            let doc_freq = places.doc_freq.get(*number as usize).copied().unwrap_or_default();
            // Tantivy's own writer knows no number of documents where it records nothing else.
            let announced = if record.has_freq() { doc_freq } else { 0 };
            out.new_term(term.bytes, announced, record.has_freq())?;
            for (run, part) in places.of(*number) {
                if let Some((run, bytes)) = self.part(*run, *part) {
                    unpack(bytes, run.doc_base, record, &mut deltas, out);
                }
            }
            out.close_term()?;
        }
        Ok(())
    }

    fn part(&self, run: u32, part: u32) -> Option<(&Run, &[u8])> {
        let run = self.runs.get(run as usize)?;
        let end_of = |at: usize| run.parts.get(at).map_or(0, |part| part.end as usize);
        let at = part as usize;
        Some((run, run.bytes.get(at.checked_sub(1).map_or(0, end_of)..end_of(at))?))
    }

    /// Where each term's parts are, run by run.
    fn places(&self) -> Places {
        let mut starts = vec![0u32; self.terms.len() + 1];
        let mut doc_freq = vec![0u32; self.terms.len()];
        for part in self.runs.iter().flat_map(|run| &run.parts) {
            let term = part.term as usize;
            if let (Some(count), Some(docs)) = (starts.get_mut(term + 1), doc_freq.get_mut(term)) {
                *count += 1;
                *docs += part.doc_freq;
            }
        }
        accumulate(&mut starts);
        let mut next = starts.clone();
        let mut parts = vec![(0, 0); starts.last().map_or(0, |end| *end as usize)];
        for (run_at, run) in self.runs.iter().enumerate() {
            for (part_at, part) in run.parts.iter().enumerate() {
                let Some(next) = next.get_mut(part.term as usize) else { continue };
                if let Some(place) = parts.get_mut(*next as usize) {
                    *place = (run_at as u32, part_at as u32);
                }
                *next += 1;
            }
        }
        Places { starts, doc_freq, parts }
    }
}

/// The parts of each term: numbers of runs, and of parts in them.
struct Places {
    starts: Vec<u32>,
    doc_freq: Vec<u32>,
    parts: Vec<(u32, u32)>,
}

impl Places {
    fn of(&self, term: u32) -> &[(u32, u32)] {
        let start_of = |term: usize| self.starts.get(term).map_or(0, |start| *start as usize);
        self.parts.get(start_of(term as usize)..start_of(term as usize + 1)).unwrap_or_default()
    }
}

/// An occurrence in the order of terms.
type Occurrence = (DocId, u32);

/// Occurrences of an open run by term, in each by document and position.
struct ByTerm {
    starts: Vec<u32>,
    occurrences: Vec<Occurrence>,
}

impl ByTerm {
    fn terms(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The terms that occur, each with where it does.
    fn iter(&self) -> impl Iterator<Item = (u32, &[Occurrence])> {
        self.starts.windows(2).enumerate().filter_map(|(number, ends)| {
            let [start, end] = ends.first_chunk::<2>()?;
            let found = self.occurrences.get(*start as usize..*end as usize)?;
            (!found.is_empty()).then_some((number as u32, found))
        })
    }
}

impl OpenRun {
    /// A counting sort: stable, so that documents and positions stay in order.
    fn by_term(&self, terms: usize) -> ByTerm {
        let mut starts = vec![0u32; terms + 1];
        for token in &self.tokens {
            if let Some(count) = starts.get_mut(token.term as usize + 1) {
                *count += 1;
            }
        }
        accumulate(&mut starts);
        let mut next = starts.clone();
        let mut occurrences = vec![(0, 0); self.tokens.len()];
        let mut begin = 0;
        for (doc, end) in &self.docs {
            for token in self.tokens.get(begin..*end).unwrap_or_default() {
                let Some(next) = next.get_mut(token.term as usize) else { continue };
                if let Some(place) = occurrences.get_mut(*next as usize) {
                    *place = (*doc, token.position);
                }
                *next += 1;
            }
            begin = *end;
        }
        ByTerm { starts, occurrences }
    }

    /// The same memory for the next run, unless one huge document made it huge.
    fn emptied(mut self) -> Self {
        const KEPT_TOKENS_MAX: usize = 1 << 18;
        self.tokens.clear();
        self.tokens.shrink_to(KEPT_TOKENS_MAX);
        self.docs.clear();
        self
    }
}

/// Turns counts, each one place late, into where each begins.
fn accumulate(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// Appends one term's postings; returns in how many documents it is. For each document its distance, with a bit that says
/// whether the term is there once only, then the frequency and the distances of positions, as far as they are recorded.
fn pack(found: &[Occurrence], base: DocId, record: IndexRecordOption, bytes: &mut Vec<u8>) -> u32 {
    let (mut last, mut docs) = (base, 0);
    for same in found.chunk_by(|left, right| left.0 == right.0) {
        let Some((doc, _)) = same.first() else { continue };
        let distance = u64::from(doc - last) << 1 | u64::from(same.len() == 1);
        last = *doc;
        docs += 1;
        put_unsigned(bytes, distance);
        if record.has_freq() && same.len() > 1 {
            put_unsigned(bytes, same.len() as u64);
        }
        if record.has_positions() {
            let mut before = 0;
            for (_, position) in same {
                put_unsigned(bytes, u64::from(position.saturating_sub(before)));
                before = *position;
            }
        }
    }
    docs
}

/// Reads what [`pack`] wrote.
fn unpack(
    bytes: &[u8],
    base: DocId,
    record: IndexRecordOption,
    deltas: &mut Vec<u32>,
    out: &mut FieldSerializer<'_>,
) {
    let mut reader = Reader::new(bytes);
    let mut number = || reader.unsigned().map(|number| number as u32);
    let mut doc = base;
    while let Some(head) = number() {
        doc += head >> 1;
        let once = head & 1 == 1 || !record.has_freq();
        let frequency = if once { 1 } else { number().unwrap_or(1) };
        deltas.clear();
        if record.has_positions() {
            deltas.extend((0..frequency).map_while(|_| number()));
        }
        out.write_doc(doc, if record.has_freq() { frequency } else { 0 }, deltas);
    }
}
