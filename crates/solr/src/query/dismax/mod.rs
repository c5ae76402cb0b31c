//! `dismax` and `edismax`: words searched in many fields at once, each word scored by its best field.
//! `settings.rs` reads parameters, `split.rs` cuts the text, `fields.rs` gives its pieces meaning on fields,
//! `edismax.rs` and `plain.rs` are the two parsers. The grammar is that of `lucene`. Shapes of queries were
//! tried on Solr 9.10.1 (`compat/query/edismax*.yaml`).

mod boosts;
mod edismax;
mod field_list;
mod fields;
mod flatten;
mod minimum;
mod notes;
mod phrases;
mod plain;
mod settings;
mod split;
#[cfg(test)]
mod tests;
mod user_fields;

/// How many levels a query in one of these parsers counts for, of those that parsers may nest: each takes
/// more of the stack. Solr differs: it counts one, and its 100 levels.
const LEVELS: usize = 5;

pub(super) use edismax::edismax;
pub(crate) use field_list::weighted_fields;
pub(crate) use notes::NotedQuery;
pub use notes::Notes;
pub(super) use plain::dismax;
