//! The words of one field: how many documents have each, in the whole snapshot, dead documents included as in Lucene.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use plan::{Fuzzy, Result};
use tantivy::Term;
use tantivy::schema::Field;

use crate::search::SearchContext;
use crate::search::near_terms::{NearTerm, TERM_CHARS_MAX, near_terms, text_field};
use crate::search::stats::{doc_freq, term_infos};

pub(super) struct Words<'a> {
    context: &'a SearchContext<'a>,
    name: Arc<str>,
    /// `None` when no document has the field, or it has no texts.
    field: Option<Field>,
    counts: RefCell<HashMap<String, u64>>,
}

impl<'a> Words<'a> {
    pub(super) fn new(context: &'a SearchContext<'a>, name: &Arc<str>) -> Self {
        let field = context.layout.field(name).and_then(|layout| text_field(layout));
        Self { context, name: name.clone(), field, counts: RefCell::default() }
    }

    /// All documents.
    pub(super) fn documents_max(&self) -> u64 {
        self.context.segments.iter().map(|segment| u64::from(segment.max_doc())).sum()
    }

    pub(super) fn documents(&self, word: &str) -> Result<u64> {
        let Some(field) = self.field else { return Ok(0) };
        if let Some(known) = self.counts.borrow().get(word) {
            return Ok(*known);
        }
        let infos = term_infos(self.context, &Term::from_field_text(field, word))?;
        let documents = doc_freq(&infos);
        self.counts.borrow_mut().insert(word.to_owned(), documents);
        Ok(documents)
    }

    /// The words at most so many edits away, that begin with the same `prefix` characters, in order.
    pub(super) fn near(&self, word: &str, edits_max: u8, prefix: usize) -> Result<Vec<NearTerm>> {
        let Some(field) = self.field.filter(|_| word.chars().count() <= TERM_CHARS_MAX) else {
            return Ok(Vec::new());
        };
        let fuzzy =
            Fuzzy { prefix_length: prefix, ..Fuzzy::new(self.name.clone(), word.to_owned(), edits_max) };
        near_terms(self.context, field, &fuzzy)
    }
}
