//! The inverted index of a segment in memory. Documents come in groups whose tokens are numbers already; what
//! came since is now and then closed as a *run*: an inverted index of its own in a row of bytes, terms in
//! order, never touched again. Sealing merges the runs and gives postings to tantivy's own serializer, so
//! that the files are tantivy's.
//!
//! Against looking up and appending to each token's term in one large table, which is what tantivy's writer
//! does, all but the run at hand is written and read in order. Why and what it gained: docs/adr/0005.

use tantivy::fieldnorm::FieldNormReaders;
use tantivy::index::SegmentComponent;
use tantivy::postings::{FieldSerializer, InvertedIndexSerializer};
use tantivy::schema::{Field, FieldEntry, IndexRecordOption, Schema};
use tantivy::{DocId, Segment};

use crate::bytes::{ByteReader, put_unsigned};
use crate::indexing::run::Run;
use crate::indexing::run_merge::RunMerge;
use crate::indexing::term_table::TermTable;
use crate::indexing::tokens::Token;

/// A run is closed from this many tokens on, a group of half as many becomes one by itself: their terms fit
/// into a processor's own cache.
const RUN_TOKENS: usize = if cfg!(test) { 1 << 8 } else { 1 << 18 };
/// Beyond this many tokens a run's working memory is given back: one huge document must not be paid for ever
/// after.
const KEPT_TOKENS_MAX: usize = 1 << 20;

/// Postings of the documents added so far.
pub(crate) struct PostingsBuilder {
    /// By number of the field; `None` where nothing is indexed.
    records: Vec<Option<IndexRecordOption>>,
    /// Tokens of each field, which tantivy writes before its postings.
    tokens: Vec<u64>,
    open: OpenRun,
    runs: Vec<Run>,
    run_bytes: usize,
    /// Kept from group to group: the open run's number of each of the group's.
    numbers: Vec<u32>,
    sorted: ByTerm,
    packed: Vec<u8>,
}

/// Documents that wait for their run.
#[derive(Default)]
struct OpenRun {
    terms: TermTable,
    tokens: Vec<Token>,
    /// Each document with the end of its tokens.
    docs: Vec<(DocId, usize)>,
    /// Documents whose tokens have the numbers of the run; those behind have the numbers of their group.
    numbered: usize,
}

impl PostingsBuilder {
    pub(crate) fn new(schema: &Schema) -> Self {
        let record = |entry: &FieldEntry| {
            let indexed = entry.is_indexed();
            indexed.then(|| entry.field_type().index_record_option().unwrap_or(IndexRecordOption::Basic))
        };
        let records: Vec<_> = schema.fields().map(|(_, entry)| record(entry)).collect();
        Self {
            tokens: vec![0; records.len()],
            records,
            open: OpenRun::default(),
            runs: Vec::new(),
            run_bytes: 0,
            numbers: Vec::new(),
            sorted: ByTerm::default(),
            packed: Vec::new(),
        }
    }

    /// Adds the tokens of a document, higher than all before, with the numbers of its group.
    pub(crate) fn add(&mut self, doc: DocId, tokens: &[Token]) {
        self.open.tokens.extend_from_slice(tokens);
        self.open.docs.push((doc, self.open.tokens.len()));
    }

    /// Memory held.
    pub(crate) fn memory(&self) -> usize {
        let open = self.open.tokens.capacity() * size_of::<Token>();
        let sorted = self.sorted.occurrences.capacity() * size_of::<Occurrence>();
        self.open.terms.memory() + self.run_bytes + open + sorted
    }

    /// Ends a group of documents, whose numbers are those of `group`.
    pub(crate) fn end_group(&mut self, group: &TermTable) {
        if self.open.numbered == 0 && self.open.tokens.len() >= RUN_TOKENS / 2 {
            return self.close_run(group);
        }
        self.open.take_numbers(group, &mut self.numbers);
        if self.open.tokens.len() >= RUN_TOKENS {
            self.close_open_run();
        }
    }

    fn close_open_run(&mut self) {
        let terms = std::mem::take(&mut self.open.terms);
        self.close_run(&terms);
        self.open.terms = terms;
        self.open.terms.clear();
    }

    fn close_run(&mut self, terms: &TermTable) {
        let Some((doc_base, _)) = self.open.docs.first().copied() else { return };
        self.sorted.fill(&self.open, terms.len());
        self.packed.clear();
        let mut fields: Vec<(Field, usize)> = Vec::new();
        let mut postings = Vec::new();
        for number in terms.sorted() {
            let (Some(term), occurrences) = (terms.term(number), self.sorted.of(number)) else {
                continue;
            };
            // A term of a document that was prepared and not applied: its version conflicted, or it was made
            // anew.
            if occurrences.is_empty() {
                continue;
            }
            let field = term.field.field_id() as usize;
            let Some(record) = self.records.get(field).copied().flatten() else { continue };
            postings.clear();
            let doc_freq = pack(occurrences, doc_base, record, &mut postings);
            // Where frequencies are not kept, a term counts once a document, as in Lucene.
            let counted = if record.has_freq() { occurrences.len() as u64 } else { u64::from(doc_freq) };
            if let Some(tokens) = self.tokens.get_mut(field) {
                *tokens += counted;
            }
            put_bytes(&mut self.packed, term.bytes);
            put_unsigned(&mut self.packed, u64::from(doc_freq));
            put_bytes(&mut self.packed, &postings);
            match fields.last_mut().filter(|(own, _)| *own == term.field) {
                Some((_, end)) => *end = self.packed.len(),
                None => fields.push((term.field, self.packed.len())),
            }
        }
        self.run_bytes += self.packed.len();
        self.runs.push(Run { doc_base, fields, bytes: self.packed.as_slice().into() });
        self.begin_run();
    }

    fn begin_run(&mut self) {
        if self.open.tokens.capacity() > KEPT_TOKENS_MAX {
            (self.open, self.sorted, self.packed) = Default::default();
        }
        self.open.tokens.clear();
        self.open.docs.clear();
        self.open.numbered = 0;
    }

    /// Writes the postings, positions and terms of `segment`, whose lengths are written already.
    pub(crate) fn serialize(mut self, segment: &Segment) -> tantivy::Result<()> {
        self.close_open_run();
        let norms = FieldNormReaders::open(segment.open_read(SegmentComponent::FieldNorms)?)?;
        let mut serializer = InvertedIndexSerializer::open(segment)?;
        for (field, (record, tokens)) in (0..).zip(self.records.iter().zip(&self.tokens)) {
            let field = Field::from_field_id(field);
            let (Some(record), 1..) = (record, *tokens) else { continue };
            let mut out = serializer.new_field(field, *tokens, norms.get_field(field)?)?;
            self.serialize_field(field, *record, &mut out)?;
            out.close()?;
        }
        serializer.close()?;
        Ok(())
    }

    fn serialize_field(
        &self,
        field: Field,
        record: IndexRecordOption,
        out: &mut FieldSerializer<'_>,
    ) -> tantivy::Result<()> {
        let mut deltas = Vec::new();
        let mut merge = RunMerge::new(&self.runs, field);
        while let Some(term) = merge.next() {
            // Tantivy's own writer knows no number of documents where it records nothing else.
            let announced = if record.has_freq() { merge.doc_freq() } else { 0 };
            out.new_term(term, announced, record.has_freq())?;
            for (doc_base, postings) in merge.postings() {
                unpack(postings, *doc_base, record, &mut deltas, out);
            }
            out.close_term()?;
        }
        Ok(())
    }
}

impl OpenRun {
    /// Gives the tokens of the group that ends the numbers of the run.
    fn take_numbers(&mut self, group: &TermTable, numbers: &mut Vec<u32>) {
        numbers.clear();
        numbers.extend(
            (0..group.len() as u32)
                .filter_map(|number| group.term(number))
                .map(|term| self.terms.number(term)),
        );
        let start =
            self.numbered.checked_sub(1).and_then(|last| self.docs.get(last)).map_or(0, |(_, end)| *end);
        for token in self.tokens.get_mut(start..).unwrap_or_default() {
            token.term = numbers.get(token.term as usize).copied().unwrap_or_default();
        }
        self.numbered = self.docs.len();
    }
}

/// An occurrence of a term that is known.
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
        let mut sum = 0;
        for start in &mut *starts {
            sum += *start;
            *start = sum;
        }
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

    fn of(&self, term: u32) -> &[Occurrence] {
        let start_of = |term: usize| self.starts.get(term).map_or(0, |start| *start as usize);
        self.occurrences.get(start_of(term as usize)..start_of(term as usize + 1)).unwrap_or_default()
    }
}

fn put_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    put_unsigned(bytes, more.len() as u64);
    bytes.extend_from_slice(more);
}

/// Appends one term's postings; returns in how many documents it is. For each document its distance, with a
/// bit that says whether the term is there once only, then the frequency and the distances of positions, as
/// far as they are recorded.
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
    let mut reader = ByteReader::new(bytes);
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
    use crate::indexing::term_table::FieldTerm;
    use crate::segment::directory::Output;

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
            // Of a document that was refused after its preparation.
            group.number(FieldTerm::new(Field::from_field_id(doc % 3), format!("refused{doc}").as_bytes()));
            if doc % run_docs == run_docs - 1 {
                builder.end_group(&group);
                group.clear();
            }
        }
        builder.end_group(&group);
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
    fn opened(schema: &Schema, docs: DocId, builder: PostingsBuilder) -> SegmentReader {
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
            let reader = opened(&schema, docs, builder);
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
