//! What preparing makes of a document. Made outside every lock, so that what is left to do under it is to
//! give a version and a place; consumed once by a builder. Terms are numbers of the preparer's table, and
//! mean nothing without it.

use std::sync::Arc;

use tantivy::schema::Field;

use crate::indexing::index_document::IndexDocument;
use crate::indexing::tokens::Token;

/// Longest term in bytes, as Lucene's `IndexWriter.MAX_TERM_LENGTH`.
pub(crate) const TERM_BYTES_MAX: usize = 32_766;

/// A document ready for a RAM segment.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) document: IndexDocument,
    /// Field by field, in each by position. Their terms are those of the preparer's table.
    pub(crate) tokens: Box<[Token]>,
    /// Lengths of the fields that keep them.
    pub(crate) lengths: Vec<(Field, u32)>,
}

impl Prepared {
    /// Before anything of the document is in.
    pub(super) fn empty() -> Self {
        let document = IndexDocument { text: String::new(), leaves: Vec::new(), source: Arc::default() };
        Self { document, tokens: Box::default(), lengths: Vec::new() }
    }
}
