//! One document of a segment against what its stored values say: its id and version, postings with
//! frequencies and positions, lengths, columns, and what is kept beside tantivy's files of them.
//!
//! In: a view of the segment and what is expected; out: the first thing that is otherwise, in words. What is
//! expected is `expected`'s, which documents are looked at `sampling`'s.

use plan::Result;
use tantivy::columnar::{Column, MonotonicallyMappableToU64};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet};

use super::expected::{ColumnValue, ExpectedField, Known, StoredDocument};
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout, ID_FIELD};
use crate::segment::columns::AnyColumn;
use crate::segment::id_filter;
use crate::segment::value_order::ValueOrder;
use crate::snapshot::SegmentView;

/// What is wrong, `None` where nothing is.
type Wrong = Option<String>;

/// A document of a segment.
#[derive(Clone, Copy)]
pub(super) struct Compared<'a> {
    pub(super) view: &'a SegmentView,
    pub(super) doc: DocId,
}

impl Compared<'_> {
    /// What every document has, whatever its schema.
    pub(super) fn identity(self, document: &StoredDocument) -> Result<Wrong> {
        let indexed = self.view.versions()?.first(self.doc);
        if indexed != Some(document.version) {
            return Ok(Some(format!("its version is {}, and {indexed:?} in the index", document.version)));
        }
        if document.id.is_empty() {
            return Ok(None);
        }
        let id = document.id.as_bytes();
        if let Some(wrong) = self.posting(ID_FIELD, id, None)? {
            return Ok(Some(wrong));
        }
        let listed = self.view.ids().and_then(|ids| ids.bytes(self.doc));
        if listed.is_some_and(|listed| listed != id) {
            let listed = shown(listed.unwrap_or_default());
            return Ok(Some(format!("the list of ids has {listed} in its place")));
        }
        let is_known = self.view.segment.filter().may_hold(id_filter::hash(&document.id));
        Ok((!is_known).then(|| "the filter of ids does not know it".to_owned()))
    }

    /// All that the index has of a field.
    pub(super) fn field(self, expected: &ExpectedField) -> Result<Wrong> {
        let ExpectedField { layout, terms, length, columns, known } = expected;
        if let Some(inverted) = layout.inverted {
            for (term, positions) in terms {
                let positions = (*known == Known::Whole).then_some(&**positions);
                if let Some(wrong) = self.posting(inverted, term, positions)? {
                    return Ok(Some(wrong));
                }
            }
            if let Some(length) = length.filter(|_| *known == Known::Whole)
                && let Some(wrong) = self.length(inverted, length)?
            {
                return Ok(Some(wrong));
            }
        }
        if *known == Known::SomeTerms {
            return Ok(None);
        }
        let values = layout.column.iter().map(|column| (column, column.kind == ColumnKind::Vector));
        // The numbers of payloads, as those of vectors, mean nothing in another order.
        for (column, in_order) in values.chain(layout.payloads.iter().map(|column| (column, true))) {
            let expected = columns.get(&column.field.field_id()).map(Vec::as_slice).unwrap_or_default();
            if let Some(wrong) = self.column((column, in_order), expected)? {
                return Ok(Some(wrong));
            }
        }
        Ok(None)
    }

    /// Of a field that the document does not have.
    pub(super) fn absent(self, field: &FieldLayout) -> Result<Wrong> {
        if let Some(inverted) = field.inverted.filter(|_| field.has_norms())
            && let Some(wrong) = self.length(inverted, 0)?
        {
            return Ok(Some(wrong));
        }
        field.column.as_ref().map_or(Ok(None), |column| self.column((column, true), &[]))
    }

    /// Whether a term names the document, as often and where it should.
    fn posting(self, field: Field, term: &[u8], positions: Option<&[u32]>) -> Result<Wrong> {
        let reader = self.view.reader();
        let inverted = reader.inverted_index(field).map_err(from_tantivy)?;
        let missing = || Ok(Some(format!("the postings of its term {} lack it", shown(term))));
        let Some(info) = inverted.terms().get(term).map_err(from_tantivy)? else { return missing() };
        let entry = reader.schema().get_field_entry(field).field_type();
        let option = entry.index_record_option().unwrap_or(IndexRecordOption::Basic);
        let mut postings = inverted.read_postings_from_terminfo(&info, option).map_err(from_tantivy)?;
        let reached = if postings.doc() < self.doc { postings.seek(self.doc) } else { postings.doc() };
        if reached != self.doc {
            return missing();
        }
        if self.view.term_bits(field, &info).is_some_and(|bits| !bits.contains(self.doc)) {
            return Ok(Some(format!("the bits of its term {} lack it", shown(term))));
        }
        let Some(expected) = positions else { return Ok(None) };
        if option.has_freq() && postings.term_freq() as usize != expected.len() {
            let (term, found) = (shown(term), postings.term_freq());
            return Ok(Some(format!(
                "its term {term} is there {} times, and {found} times in the index",
                expected.len()
            )));
        }
        if option.has_positions() {
            let mut found = Vec::new();
            postings.positions(&mut found);
            if found != expected {
                let term = shown(term);
                return Ok(Some(format!(
                    "its term {term} stands at {expected:?}, and at {found:?} in the index"
                )));
            }
        }
        Ok(None)
    }

    fn length(self, field: Field, expected: u32) -> Result<Wrong> {
        // A field that came behind the segment has no lengths there.
        let lengths = self.view.reader().fieldnorms_readers().get_field(field).map_err(from_tantivy)?;
        let found = lengths.map_or(0, |lengths| lengths.fieldnorm_id(self.doc));
        let is_same = found == FieldNormReader::fieldnorm_to_id(expected);
        Ok((!is_same).then(|| {
            let found = FieldNormReader::id_to_fieldnorm(found);
            format!("it has {expected} tokens, and about {found} in the index")
        }))
    }

    fn column(self, (column, in_order): (&ColumnRef, bool), expected: &[ColumnValue]) -> Result<Wrong> {
        let found = match self.view.column(column)? {
            Some(opened) => {
                if let Some(wrong) = self.order(column, &opened) {
                    return Ok(Some(wrong));
                }
                self.values(&opened)?
            }
            None => Vec::new(),
        };
        let (mut wanted, mut found) = (expected.to_vec(), found);
        // A document that was read back from docValues has them sorted, and texts once each.
        if !in_order {
            wanted.sort();
            found.sort();
        }
        if column.kind == ColumnKind::Str {
            wanted.dedup();
            found.dedup();
        }
        let is_same = wanted == found;
        Ok((!is_same).then(|| format!("it has {}, and {} in its column", listed(&wanted), listed(&found))))
    }

    fn values(self, column: &AnyColumn) -> Result<Vec<ColumnValue>> {
        Ok(match column {
            AnyColumn::Str(column) => {
                let mut text = String::new();
                let mut values = Vec::new();
                for ordinal in column.term_ords(self.doc) {
                    text.clear();
                    column.ord_to_str(ordinal, &mut text).map_err(from_tantivy)?;
                    values.push(ColumnValue::Text(text.clone()));
                }
                values
            }
            AnyColumn::I64(column) => column.values_for_doc(self.doc).map(ColumnValue::Number).collect(),
            AnyColumn::F64(column) => {
                column.values_for_doc(self.doc).map(|number| ColumnValue::Real(number.to_bits())).collect()
            }
            AnyColumn::Bool(column) => column.values_for_doc(self.doc).map(ColumnValue::Flag).collect(),
        })
    }

    /// Whether the document stands where its value puts it in the order of the column, if one is kept.
    fn order(self, column: &ColumnRef, opened: &AnyColumn) -> Wrong {
        let order = self.view.value_order(column)?;
        let stands = match opened {
            AnyColumn::I64(values) => self.stands_in(order, values),
            AnyColumn::F64(values) => self.stands_in(order, values),
            AnyColumn::Str(_) | AnyColumn::Bool(_) => true,
        };
        (!stands).then(|| "it is not where its value puts it in the order of its column".to_owned())
    }

    fn stands_in<T>(self, order: &ValueOrder, values: &Column<T>) -> bool
    where
        T: MonotonicallyMappableToU64 + PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
    {
        let Some(value) = values.first(self.doc) else { return true };
        let ranks = order.ranks(values, &(value..=value));
        // Those of one value stand by their numbers.
        let (mut low, mut high) = (ranks.start, ranks.end);
        while low < high {
            let middle = u32::midpoint(low, high);
            if order.doc(middle) < self.doc { low = middle + 1 } else { high = middle }
        }
        low < ranks.end && order.doc(low) == self.doc
    }
}

/// A term for people: as text where it is some, else its bytes.
pub(super) fn shown(term: &[u8]) -> String {
    const CHARS_MAX: usize = 40;
    match std::str::from_utf8(term) {
        Ok(text) if !text.contains(|it: char| it.is_control()) => {
            let cut = text
                .char_indices()
                .nth(CHARS_MAX)
                .map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
            format!("`{cut}`")
        }
        _ => {
            let bytes: Vec<String> = term.iter().take(CHARS_MAX).map(|byte| format!("{byte:02x}")).collect();
            format!("`0x{}`", bytes.concat())
        }
    }
}

fn listed(values: &[ColumnValue]) -> String {
    const VALUES_MAX: usize = 8;
    if values.is_empty() {
        return "no value".to_owned();
    }
    let one = |value: &ColumnValue| match value {
        ColumnValue::Text(text) => shown(text.as_bytes()),
        ColumnValue::Number(number) => number.to_string(),
        ColumnValue::Real(bits) => f64::from_bits(*bits).to_string(),
        ColumnValue::Flag(flag) => flag.to_string(),
    };
    let more = if values.len() > VALUES_MAX { ", …" } else { "" };
    let all: Vec<String> = values.iter().take(VALUES_MAX).map(one).collect();
    format!("{}{more}", all.join(", "))
}
