//! Whether indexes say what the documents say: some documents of a segment are read from what is stored of
//! them, their terms and columns are made anew and looked for in the index; and some terms of the index are
//! followed to a document, which must have them. So an index is found out that is wrong though its files have
//! the bytes that were written.
//!
//! In: a snapshot's segment and how many documents; out: what was looked at and what differs. Fields are
//! compared where the segment was indexed by what the schema says now (`layout/indexed_by`); of others that
//! is told, since their terms may rightly be other ones. When it is done is `life/scrub`'s and `shard`'s.

mod compare;
mod expected;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plan::Result;
use serde::{Deserialize, Serialize};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use self::compare::{Compared, shown};
use self::expected::{Expectations, ExpectedField, StoredDocument, is_kept};
use crate::errors::from_tantivy;
use crate::layout::{FieldLayout, ID_FIELD, InvertedKind, Layout, VERSION_NAME};
use crate::snapshot::{SegmentView, Snapshot};

/// Fields without a value that one document is asked for: a schema may have thousands.
const ABSENT_FIELDS: usize = 16;
/// Documents or postings looked at for a living one.
const DEAD_PASSED_MAX: usize = 128;
/// Differences told of one segment: those behind them are of the same kind.
const TOLD_MAX: usize = 8;

/// What a look at some documents of some segments found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSample {
    pub segments: u64,
    pub documents: u64,
    pub terms: u64,
    /// Segments of which no more than ids and versions could be compared: they were indexed by a schema that
    /// is another now, or by a version that did not note by which.
    pub unknown_segments: u64,
    /// The first ones of each segment.
    pub differences: Vec<IndexDifference>,
}

/// Where an index says otherwise than a stored document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexDifference {
    pub segment: String,
    /// Empty for what every document has.
    pub field: String,
    /// Its id; empty where it cannot be read.
    pub document: String,
    pub why: String,
}

impl std::fmt::Display for IndexDifference {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { segment, field, document, why } = self;
        write!(out, "segment `{segment}`")?;
        if !field.is_empty() {
            write!(out, ", field `{field}`")?;
        }
        if !document.is_empty() {
            write!(out, ", document `{document}`")?;
        }
        write!(out, ": {why}")
    }
}

impl IndexSample {
    /// Of both together.
    pub fn add(&mut self, other: Self) {
        let Self { segments, documents, terms, unknown_segments, differences } = other;
        self.segments += segments;
        self.documents += documents;
        self.terms += terms;
        self.unknown_segments += unknown_segments;
        self.differences.extend(differences);
    }
}

/// This many documents of a segment, evenly spread, and as many terms. `seed` chooses which.
pub(crate) fn sample(snapshot: &Snapshot, view: &SegmentView, documents: u32, seed: u64) -> IndexSample {
    let mut sampler = Sampler::new(snapshot, view);
    let max_doc = view.segment.max_doc;
    let step = (f64::from(max_doc) / f64::from(documents.max(1))).max(1.0);
    for turn in 0..documents.min(max_doc) {
        let first = (f64::from(turn) * step) as u32;
        let within = if step > 1.0 { mixed(seed, turn) % (step as u64) } else { 0 };
        sampler.document(first.saturating_add(within as u32).min(max_doc.saturating_sub(1)), seed);
    }
    for turn in 0..documents {
        sampler.term(mixed(!seed, turn));
    }
    sampler.found
}

/// One document and one term.
pub(crate) fn sample_one(snapshot: &Snapshot, view: &SegmentView, seed: u64) -> IndexSample {
    let mut sampler = Sampler::new(snapshot, view);
    let max_doc = u64::from(view.segment.max_doc.max(1));
    sampler.document((mixed(seed, 0) % max_doc) as u32, seed);
    sampler.term(mixed(seed, 1));
    sampler.found
}

/// SplitMix64: any number from any two.
pub(crate) fn mixed(seed: u64, turn: u32) -> u64 {
    let mut word = seed.wrapping_add((u64::from(turn) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

struct Sampler<'a> {
    view: &'a SegmentView,
    layout: &'a Arc<Layout>,
    expectations: Expectations,
    /// Fields that the documents have whole, by their slots, as far as the segment was indexed by what counts
    /// now.
    kept: Vec<Arc<FieldLayout>>,
    /// The first slots, in which its documents may have values; none where nothing is known.
    slots: u32,
    found: IndexSample,
}

/// What is wrong with a document.
struct Wrong {
    /// Empty for what every document has.
    field: String,
    why: String,
}

/// A document that was read, with what it is to have, and the first thing that it has otherwise.
struct Looked {
    document: StoredDocument,
    expected: Vec<ExpectedField>,
    wrong: Option<Wrong>,
}

/// A term of the index, and a living document of its postings.
struct Posting {
    /// `None` for ids.
    field: Option<Arc<FieldLayout>>,
    term: Vec<u8>,
    doc: DocId,
}

impl<'a> Sampler<'a> {
    fn new(snapshot: &'a Snapshot, view: &'a SegmentView) -> Self {
        let layout = snapshot.layout();
        let by = view.segment.indexed_by().filter(|by| layout.indexes_alike(by));
        let slots = by.map_or(0, |by| by.slots);
        let mut kept: Vec<_> =
            layout.fields().filter(|field| field.slot < slots && is_kept(field)).cloned().collect();
        kept.sort_by_key(|field| field.slot);
        let unknown_segments = u64::from(by.is_none());
        let found = IndexSample { segments: 1, unknown_segments, ..IndexSample::default() };
        Self { view, layout, expectations: Expectations::new(layout), kept, slots, found }
    }

    /// The living document at this number or behind it.
    fn document(&mut self, from: DocId, seed: u64) {
        let numbers = (from..self.view.segment.max_doc).take(DEAD_PASSED_MAX);
        let Some(doc) = numbers.into_iter().find(|doc| !self.view.dead.contains(*doc)) else { return };
        self.found.documents += 1;
        self.guarded(doc, |it| {
            let Looked { document, wrong, .. } = it.look(doc)?;
            let wrong = match wrong {
                None => it.absent(doc, &document, seed)?,
                found => found,
            };
            Ok(wrong.map(|wrong| (document.id, wrong)))
        });
    }

    /// One term of the index, and one of the living documents that its postings name.
    fn term(&mut self, seed: u64) {
        let mut found = None;
        self.guarded(0, |it| {
            found = it.posting(seed)?;
            Ok(None)
        });
        let Some(Posting { field, term, doc }) = found else { return };
        self.found.terms += 1;
        self.guarded(doc, |it| {
            let Looked { document, expected, wrong } = it.look(doc)?;
            if let Some(wrong) = wrong {
                return Ok(Some((document.id, wrong)));
            }
            let has_term = match &field {
                // A key that is not kept cannot be compared.
                None => document.id.is_empty() || document.id.as_bytes() == term,
                Some(field) => expected
                    .iter()
                    .any(|it| it.layout.inverted == field.inverted && it.terms.contains_key(&term)),
            };
            let field = field.map(|field| field.name.to_string()).unwrap_or_default();
            let why = format!("the postings of {} name it, and it does not have that", shown(&term));
            Ok((!has_term).then_some((document.id, Wrong { field, why })))
        });
    }

    /// Compares a document.
    fn look(&mut self, doc: DocId) -> Result<Looked> {
        let source = self.view.source(doc)?;
        let document = StoredDocument::read(&source, self.layout)?;
        let compared = Compared { view: self.view, doc };
        if let Some(why) = compared.identity(&document)? {
            let wrong = Some(Wrong { field: String::new(), why });
            return Ok(Looked { document, expected: Vec::new(), wrong });
        }
        let expected = self.expectations.of(&document, self.slots)?;
        for field in &expected {
            if let Some(why) = compared.field(field)? {
                let wrong = Some(Wrong { field: field.layout.name.to_string(), why });
                return Ok(Looked { document, expected, wrong });
            }
        }
        Ok(Looked { document, expected, wrong: None })
    }

    /// Some fields that the document has not.
    fn absent(&self, doc: DocId, document: &StoredDocument, seed: u64) -> Result<Option<Wrong>> {
        let Some(first) = mixed(seed, doc).checked_rem(self.kept.len() as u64) else { return Ok(None) };
        let compared = Compared { view: self.view, doc };
        let fields = self.kept.iter().cycle().skip(first as usize).take(ABSENT_FIELDS.min(self.kept.len()));
        // The version is given by the shard, and was compared.
        let fields = fields.filter(|field| &*field.name != VERSION_NAME && !document.has(&field.name));
        for field in fields {
            if let Some(why) = compared.absent(field)? {
                return Ok(Some(Wrong { field: field.name.to_string(), why }));
            }
        }
        Ok(None)
    }

    fn posting(&self, seed: u64) -> Result<Option<Posting>> {
        let is_inverted = |field: &&Arc<FieldLayout>| {
            field.inverted.is_some() && field.inverted_kind != Some(InvertedKind::Key)
        };
        let mut fields: Vec<_> = self.kept.iter().filter(is_inverted).map(Some).collect();
        fields.push(None);
        let field = fields.get((mixed(seed, 0) % fields.len() as u64) as usize).copied().flatten();
        let inverted = field.and_then(|field| field.inverted).unwrap_or(ID_FIELD);
        let reader = self.view.reader();
        let index = reader.inverted_index(inverted).map_err(from_tantivy)?;
        let terms = index.terms();
        let Some(ordinal) = mixed(seed, 1).checked_rem(terms.num_terms() as u64) else { return Ok(None) };
        let mut term = Vec::new();
        terms.ord_to_term(ordinal, &mut term).map_err(from_tantivy)?;
        let Some(info) = terms.get(&term).map_err(from_tantivy)? else { return Ok(None) };
        let open =
            || index.read_postings_from_terminfo(&info, IndexRecordOption::Basic).map_err(from_tantivy);
        let mut postings = open()?;
        let from = (mixed(seed, 2) % u64::from(self.view.segment.max_doc.max(1))) as DocId;
        if postings.doc() < from && postings.seek(from) == TERMINATED {
            postings = open()?;
        }
        for _ in 0..DEAD_PASSED_MAX {
            if postings.doc() == TERMINATED {
                break;
            }
            if !self.view.dead.contains(postings.doc()) {
                return Ok(Some(Posting { field: field.cloned(), term, doc: postings.doc() }));
            }
            postings.advance();
        }
        Ok(None)
    }

    /// What cannot be read is wrong, too. Tantivy panics on some kinds of damage (0.27).
    fn guarded(&mut self, doc: DocId, look: impl FnOnce(&mut Self) -> Result<Option<(String, Wrong)>>) {
        let unread = |why: String| {
            (String::new(), Wrong { field: String::new(), why: format!("document {doc}: {why}") })
        };
        let found = match catch_unwind(AssertUnwindSafe(|| look(self))) {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => Some(unread(error.message)),
            Err(_) => Some(unread("its files make no sense".to_owned())),
        };
        let Some((document, Wrong { field, why })) = found else { return };
        if self.found.differences.len() < TOLD_MAX {
            let segment = self.view.id().uuid_string();
            self.found.differences.push(IndexDifference { segment, field, document, why });
        }
    }
}

#[cfg(test)]
mod tests;
