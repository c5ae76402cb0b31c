//! Query text to `plan::Query`: parsers by their Solr names, each field's own reading of text, and the
//! analyzers for it. `syntax/` reads the `lucene` grammar, `lucene.rs` gives its operators meaning and
//! `leaf.rs` what lies between, `dismax/` are `dismax` and `edismax`, `surround/` has a grammar of its own,
//! `parsers.rs` the table of all and the short ones, `relations.rs` blocks and joins, `field.rs` and
//! `text.rs` build queries on one field. Needs a schema, reads no index.

mod budget;
mod choices;
mod complex_phrase;
mod context;
mod currency;
mod date_range;
mod dismax;
mod field;
mod leaf;
mod local_params;
mod lucene;
mod min_hash;
mod more_like;
mod negation;
mod others;
mod parsed;
mod parsers;
mod patterns;
mod payloads;
mod rank;
mod relations;
mod request;
mod simple;
mod spatial;
mod surround;
pub mod syntax;
mod term_sets;
mod text;
mod value;
mod vector;

#[cfg(test)]
pub(crate) mod tests;

pub use analysis::SchemaAnalyzers;
pub use budget::Budget;
pub(crate) use context::{Field, known_name};
pub use context::{Names, Parsers, PrefixLengths, QueryContext};
pub(crate) use date_range::has_math as has_date_math;
pub use dismax::Notes;
pub(crate) use dismax::weighted_fields;
pub(crate) use field::{RangeText, TextStyle};
pub use local_params::{LocalParams, split_local_params};
pub use others::{OtherSchema, Others};
pub use parsed::ParsedQuery;
pub(crate) use parsed::cache_and_cost;
pub(crate) use parsers::PARSER_PLUGINS;
pub use parsers::{SolrParsers, parse_query};
pub(crate) use payloads::{decoder, payload_function};
pub(crate) use relations::joinable;
pub(crate) use spatial::{Measure, check_coordinates, checked_parts, sub_fields};
pub(crate) use syntax::SyntaxError;
pub(crate) use value::java_float;
pub(crate) use vector::vector;
