//! Some documents' postings in a segment in memory: made by `postings_builder`, read once by `run_merge`.
//! Sorted by term and packed, so that sealing reads front to back instead of looking terms up
//! (docs/adr/0005-segments-in-memory-are-runs.md).

use tantivy::DocId;
use tantivy::schema::Field;

/// Some documents' postings, packed.
pub(crate) struct Run {
    /// The first document of each term is a difference to this.
    pub(crate) doc_base: DocId,
    /// Each field with the end of its terms, ascending.
    pub(crate) fields: Vec<(Field, usize)>,
    /// For each term its bytes, in how many documents it is, its postings; byte strings begin with their
    /// length.
    pub(crate) bytes: Box<[u8]>,
}

impl Run {
    /// The terms of a field.
    pub(crate) fn field(&self, field: Field) -> Option<&[u8]> {
        let at = self.fields.iter().position(|(own, _)| *own == field)?;
        let start = at.checked_sub(1).and_then(|before| self.fields.get(before)).map_or(0, |(_, end)| *end);
        self.bytes.get(start..self.fields.get(at)?.1)
    }
}
