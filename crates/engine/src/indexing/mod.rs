//! How documents become a segment in memory: `prepare` makes of a typed document its terms by number
//! (`term_table`, `tokens`), its columns and its stored source (`index_document`), outside every lock; a
//! `builder` takes prepared documents, of which `postings_builder` keeps the inverted index in runs, until it
//! is sealed. Knows nothing of versions, logs or other segments.

pub(crate) mod builder;
pub(crate) mod index_document;
pub(crate) mod postings_builder;
pub(crate) mod prepare;
pub(crate) mod run;
pub(crate) mod run_merge;
pub(crate) mod term_table;
pub(crate) mod tokens;
