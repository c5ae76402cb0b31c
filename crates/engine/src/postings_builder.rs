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

/// Beyond this many tokens a run's working memory is given back: one huge document must not be paid for ever after.
const KEPT_TOKENS_MAX: usize = 1 << 19;

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
    sorted: ByTerm,
    /// Where a run is made before it is copied to its measure.
    packed: (Vec<Part>, Vec<u8>),
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
        Self {
            records,
            tokens,
            terms: TermTable::default(),
            runs: Vec::new(),
            run_bytes: 0,
            open: OpenRun::default(),
            sorted: ByTerm::default(),
            packed: Default::default(),
        }
    }

    /// Adds the tokens of a document, higher than all before. They count once their run is closed.
    pub(crate) fn add(&mut self, doc: DocId, tokens: &[Token]) {
        self.open.tokens.extend_from_slice(tokens);
        self.open.docs.push((doc, self.open.tokens.len()));
    }

    /// Memory held.
    pub(crate) fn memory(&self) -> usize {
        let open = self.open.tokens.capacity() * size_of::<Token>();
        let sorted = self.sorted.occurrences.capacity() * size_of::<Occurrence>();
        self.terms.memory() + self.run_bytes + open + sorted
    }

    /// Packs what was added since the last run; `group` is the table its numbers are of.
    pub(crate) fn close_run(&mut self, group: &TermTable) {
        let Some((doc_base, _)) = self.open.docs.first().copied() else { return };
        self.sorted.fill(&self.open, group.len());
        let (parts, bytes) = &mut self.packed;
        for (number, occurrences) in self.sorted.iter() {
            let Some(term) = group.term(number) else { continue };
            let field = term.field.field_id() as usize;
            let Some(record) = self.records.get(field).copied().flatten() else { continue };
            if let Some(tokens) = self.tokens.get_mut(field) {
                *tokens += occurrences.len() as u64;
            }
            let doc_freq = pack(occurrences, doc_base, record, bytes);
            parts.push(Part { term: self.terms.number(term), doc_freq, end: bytes.len() as u32 });
        }
        self.run_bytes += parts.len() * size_of::<Part>() + bytes.len();
        self.runs.push(Run { doc_base, parts: parts.as_slice().into(), bytes: bytes.as_slice().into() });
        parts.clear();
        bytes.clear();
        self.open.clear();
        if self.sorted.occurrences.capacity() > KEPT_TOKENS_MAX {
            (self.open, self.sorted, self.packed) = Default::default();
        }
    }

    /// Writes the postings, positions and terms of `segment`, whose lengths are written already.
    pub(crate) fn serialize(&self, segment: &Segment) -> tantivy::Result<()> {
        let norms = FieldNormReaders::open(segment.open_read(SegmentComponent::FieldNorms)?)?;
        let mut serializer = InvertedIndexSerializer::open(segment)?;
        let places = self.places();
        let sorted = self.terms.sorted();
        let field_of = |number: &u32| self.terms.field(*number);
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
#[derive(Default)]
struct ByTerm {
    starts: Vec<u32>,
    next: Vec<u32>,
    occurrences: Vec<Occurrence>,
}

impl ByTerm {
    /// A counting sort: stable, so that documents and positions stay in order.
    fn fill(&mut self, open: &OpenRun, terms: usize) {
        let Self { starts, next, occurrences } = self;
        starts.clear();
        starts.resize(terms + 1, 0);
        for token in &open.tokens {
            if let Some(count) = starts.get_mut(token.term as usize + 1) {
                *count += 1;
            }
        }
        accumulate(starts);
        next.clone_from(starts);
        occurrences.resize(open.tokens.len(), (0, 0));
        let mut begin = 0;
        for (doc, end) in &open.docs {
            for token in open.tokens.get(begin..*end).unwrap_or_default() {
                let Some(next) = next.get_mut(token.term as usize) else { continue };
                if let Some(place) = occurrences.get_mut(*next as usize) {
                    *place = (*doc, token.position);
                }
                *next += 1;
            }
            begin = *end;
        }
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
    fn clear(&mut self) {
        self.tokens.clear();
        self.docs.clear();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tantivy::directory::TerminatingWrite;
    use tantivy::fastfield::FastFieldsWriter;
    use tantivy::fieldnorm::{FieldNormsSerializer, FieldNormsWriter};
    use tantivy::postings::Postings;
    use tantivy::schema::{SchemaBuilder, TextFieldIndexing, TextOptions};
    use tantivy::store::{Compressor, StoreWriter};
    use tantivy::tokenizer::TokenizerManager;
    use tantivy::{DocSet, Index, IndexSettings, InvertedIndexReader, SegmentReader, TERMINATED, Term};

    use super::*;
    use crate::directory::Output;
    use crate::term_table::FieldTerm;

    /// Positions of each document, for each term.
    type Expected = BTreeMap<(u32, String), BTreeMap<DocId, Vec<u32>>>;

    const RECORDS: [IndexRecordOption; 3] =
        [IndexRecordOption::Basic, IndexRecordOption::WithFreqs, IndexRecordOption::WithFreqsAndPositions];

    fn schema() -> Schema {
        let mut builder = SchemaBuilder::new();
        for (number, record) in RECORDS.into_iter().enumerate() {
            let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(record);
            builder
                .add_text_field(&format!("f{number}"), TextOptions::default().set_indexing_options(indexing));
        }
        builder.build()
    }

    /// Runs of `run_docs` documents, every other one empty, with frequent, rare, repeated and long terms.
    fn filled(schema: &Schema, docs: DocId, run_docs: DocId) -> (PostingsBuilder, Expected) {
        let (mut builder, mut group) = (PostingsBuilder::new(schema), TermTable::default());
        let mut expected = Expected::new();
        for doc in 0..docs {
            let mut tokens = Vec::new();
            for field in (0..3).filter(|_| doc % 2 == 0) {
                for position in 0..doc % 400 {
                    let text = format!("{}{}", "long".repeat((position % 5) as usize), position * doc % 97);
                    let term = FieldTerm::new(Field::from_field_id(field), text.as_bytes());
                    tokens.push(Token { term: group.number(term), position: position * 3 });
                    expected.entry((field, text)).or_default().entry(doc).or_default().push(position * 3);
                }
            }
            builder.add(doc, &tokens);
            if doc % run_docs == run_docs - 1 {
                builder.close_run(&group);
                group.clear();
            }
        }
        builder.close_run(&group);
        (builder, expected)
    }

    fn check_term(
        index: &InvertedIndexReader,
        term: &Term,
        record: IndexRecordOption,
        docs: &BTreeMap<DocId, Vec<u32>>,
    ) {
        let mut postings = index.read_postings(term, record).unwrap().unwrap();
        let mut positions = Vec::new();
        for (doc, expected) in docs {
            assert_eq!(postings.doc(), *doc, "{term:?}");
            if record.has_freq() {
                assert_eq!(postings.term_freq() as usize, expected.len(), "{term:?}");
            }
            if record.has_positions() {
                postings.positions(&mut positions);
                assert_eq!(&positions, expected, "{term:?}");
            }
            postings.advance();
        }
        assert_eq!(postings.doc(), TERMINATED);
    }

    /// The segment with these postings, no lengths, no columns and nothing stored.
    fn opened(schema: &Schema, docs: DocId, builder: &PostingsBuilder) -> SegmentReader {
        let index = Index::create(Output::memory(), schema.clone(), IndexSettings::default()).unwrap();
        let segment = index.new_segment().with_max_doc(docs);
        let file = |component| segment.open_write(component).unwrap();
        let mut norms = FieldNormsWriter::for_schema(schema);
        norms.fill_up_to_max_doc(docs);
        let norms_file = FieldNormsSerializer::from_write(file(SegmentComponent::FieldNorms)).unwrap();
        norms.serialize(norms_file, None).unwrap();
        builder.serialize(&segment).unwrap();
        let mut columns_file = file(SegmentComponent::FastFields);
        let columns =
            FastFieldsWriter::from_schema_and_tokenizer_manager(schema, TokenizerManager::default());
        columns.unwrap().serialize(&mut columns_file, None).unwrap();
        columns_file.terminate().unwrap();
        let store = StoreWriter::new(file(SegmentComponent::Store), Compressor::Lz4, 1 << 14, false).unwrap();
        store.close().unwrap();
        SegmentReader::open(&segment).unwrap()
    }

    #[test]
    fn tantivy_reads_what_was_added() {
        let schema = schema();
        for (docs, run_docs) in [(1, 1), (40, 7), (1500, 1000)] {
            let (builder, expected) = filled(&schema, docs, run_docs);
            let reader = opened(&schema, docs, &builder);
            let mut terms = 0;
            for (field, record) in RECORDS.into_iter().enumerate() {
                let field = Field::from_field_id(field as u32);
                let index = reader.inverted_index(field).unwrap();
                terms += index.terms().num_terms();
                for ((_, text), docs) in expected.iter().filter(|it| it.0.0 == field.field_id()) {
                    check_term(&index, &Term::from_field_text(field, text), record, docs);
                }
            }
            assert_eq!(terms, expected.len());
        }
    }
}
