//! What a function reads of a segment besides columns: places among values, scores of queries, frequencies of
//! terms. Those that walk postings go forward only, so they remember the batch they computed last.
//!
//! Opened from what `lower` resolved, called by `reader`. Columns are `column`'s, payloads `payload`'s, money
//! `currency`'s; nothing here combines values.

use std::sync::Arc;

use plan::Result;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, Term};

use super::column::{ColumnReader, one};
use crate::layout::ColumnRef;
use crate::search::context::{DocScores, ScoredQuery};
use crate::search::sets::postings;
use crate::segment::columns::AnyColumn;
use crate::snapshot::global_ordinals::GlobalOrdinals;

/// The place of a document's value among all values of the snapshot, -1 where there is none.
pub(crate) struct Ordinal {
    column: Option<AnyColumn>,
    ordinals: Arc<GlobalOrdinals>,
    segment: usize,
    reversed: bool,
    label: String,
}

impl Ordinal {
    pub(super) fn open(
        column: &ColumnRef,
        ordinals: Arc<GlobalOrdinals>,
        segment: Option<usize>,
        reversed: bool,
        label: &str,
        reader: &SegmentReader,
    ) -> Result<Self> {
        let column = if segment.is_some() { AnyColumn::open(reader, column)? } else { None };
        let segment = segment.unwrap_or_default();
        Ok(Self { column, ordinals, segment, reversed, label: label.to_owned() })
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn integers(&self, docs: &[DocId], out: &mut [i64]) {
        let common = self.ordinals.common(self.segment);
        let last = self.ordinals.len() as i64 - 1;
        for (out, doc) in out.iter_mut().zip(docs) {
            let place = match &self.column {
                Some(AnyColumn::Str(column)) => {
                    let least = one(column.ords(), Some(plan::Pick::Min), *doc);
                    least.map_or(-1, |ord| common(ord) as i64)
                }
                Some(AnyColumn::Bool(column)) => column.first(*doc).map_or(-1, i64::from),
                _ => -1,
            };
            *out = if self.reversed { last - place } else { place };
        }
    }

    pub(super) fn present(&self, docs: &[DocId], out: &mut [bool]) {
        if self.reversed {
            return out.fill(true);
        }
        let mut places = vec![0; docs.len()];
        self.integers(docs, &mut places);
        out.iter_mut().zip(places).for_each(|(out, place)| *out = place != 0);
    }
}

/// Results of the batch computed last, for walks that cannot go back.
#[derive(Default)]
pub(super) struct Remembered<T> {
    docs: Vec<DocId>,
    values: Vec<T>,
}

impl<T: Copy + Default> Remembered<T> {
    /// Computes the values of `docs`, of all at once, unless they are of the last batch.
    pub(super) fn batch(&mut self, docs: &[DocId], compute: impl FnOnce(&[DocId], &mut Vec<T>)) {
        let known = docs.iter().all(|doc| self.docs.binary_search(doc).is_ok());
        if !known {
            self.docs.clear();
            self.docs.extend_from_slice(docs);
            self.values.clear();
            compute(docs, &mut self.values);
        }
    }

    /// The values of documents of the last batch.
    pub(super) fn of<'a>(&'a self, docs: &'a [DocId]) -> impl Iterator<Item = T> + 'a {
        let place = |doc| self.docs.binary_search(doc).unwrap_or(usize::MAX);
        docs.iter().map(move |doc| self.values.get(place(doc)).copied().unwrap_or_default())
    }
}

/// The score of a query.
pub(crate) struct Score {
    scores: Box<dyn DocScores>,
    missing: f32,
    label: String,
    last: Remembered<Option<f32>>,
}

impl Score {
    pub(super) fn open(
        query: &dyn ScoredQuery,
        missing: f32,
        label: &str,
        segment: &SegmentReader,
    ) -> Result<Self> {
        let scores = query.open(segment)?;
        Ok(Self { scores, missing, label: label.to_owned(), last: Remembered::default() })
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn remember(&mut self, docs: &[DocId]) {
        let scores = &mut self.scores;
        self.last.batch(docs, |docs, values| scores.add_batch(docs, values));
    }

    pub(super) fn floats(&mut self, docs: &[DocId], out: &mut [f32]) {
        self.remember(docs);
        let scores = self.last.of(docs);
        out.iter_mut().zip(scores).for_each(|(out, score)| *out = score.unwrap_or(self.missing));
    }

    pub(super) fn present(&mut self, docs: &[DocId], out: &mut [bool]) {
        self.remember(docs);
        let scores = self.last.of(docs);
        out.iter_mut().zip(scores).for_each(|(out, score)| *out = score.is_some());
    }
}

/// How often a term stands in a document; where the field keeps no frequencies, whether.
pub(crate) struct TermFrequency {
    postings: Option<SegmentPostings>,
    counted: bool,
    label: String,
    last: Remembered<i64>,
}

impl TermFrequency {
    pub(super) fn open(
        term: Option<&Term>,
        counted: bool,
        label: &str,
        segment: &SegmentReader,
    ) -> Result<Self> {
        let option = if counted { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let found = term.map(|term| postings(segment, term, option)).transpose()?;
        Ok(Self { postings: found.flatten(), counted, label: label.to_owned(), last: Remembered::default() })
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn remember(&mut self, docs: &[DocId]) {
        let Some(postings) = &mut self.postings else { return };
        let counted = self.counted;
        let mut frequency = |doc: &DocId| {
            if postings.doc() < *doc {
                postings.seek(*doc);
            }
            match (postings.doc() == *doc, counted) {
                (true, true) => i64::from(postings.term_freq()),
                (found, _) => i64::from(found),
            }
        };
        self.last.batch(docs, |docs, values| values.extend(docs.iter().map(&mut frequency)));
    }

    pub(super) fn integers(&mut self, docs: &[DocId], out: &mut [i64]) {
        self.remember(docs);
        let frequencies = self.last.of(docs);
        out.iter_mut().zip(frequencies).for_each(|(out, frequency)| *out = frequency);
    }
}

/// How many documents have the document's own string in another field.
pub(crate) struct JoinFrequency {
    column: ColumnReader,
    among: Field,
    readers: Vec<SegmentReader>,
    label: String,
}

impl JoinFrequency {
    pub(super) fn new(column: ColumnReader, among: Field, readers: Vec<SegmentReader>, label: &str) -> Self {
        Self { column, among, readers, label: label.to_owned() }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn integers(&self, docs: &[DocId], out: &mut [i64]) {
        for (out, doc) in out.iter_mut().zip(docs) {
            let text = self.column.value(*doc).map(|value| value.to_text());
            *out = text.map_or(0, |text| self.documents(&Term::from_field_text(self.among, &text)));
        }
    }

    fn documents(&self, term: &Term) -> i64 {
        let count = |reader: &SegmentReader| {
            reader.inverted_index(self.among).ok()?.doc_freq(term).ok().map(i64::from)
        };
        self.readers.iter().filter_map(count).sum()
    }
}
