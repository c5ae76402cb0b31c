//! Query text to `plan::Query`: parsers by their Solr names, each field's own reading of text, and the analyzers for it.
//! `syntax/` reads the `lucene` grammar, `lucene.rs` gives its operators meaning and `pieces.rs` what lies between, `dismax/` are
//! `dismax` and `edismax`, `parsers.rs` the others with
//! `relations.rs` for blocks and joins, `field.rs` and `text.rs` build queries on one field. Needs a schema, reads no index.

mod choices;
mod context;
mod dismax;
mod field;
mod local_params;
mod lucene;
mod others;
mod parsers;
mod pieces;
mod relations;
pub mod syntax;
mod term_sets;
mod text;
mod value;

#[cfg(test)]
pub(crate) mod tests;

pub use analysis::SchemaAnalyzers;
pub(crate) use context::Field;
pub use context::QueryContext;
pub use dismax::Notes;
pub(crate) use field::{RangeText, TextStyle};
pub use local_params::{LocalParams, split_local_params};
pub use others::{OtherSchema, Others};
pub use parsers::{ParsedQuery, parse_query};
pub(crate) use parsers::{cache_and_cost, subquery};
pub(crate) use syntax::SyntaxError;
pub(crate) use value::java_float;
