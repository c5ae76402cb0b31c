//! The `lucene` syntax: text to a tree, without a schema. `token.rs` cuts, `parse.rs` builds, `tree.rs` is
//! the result. `scan.rs` knows how far each kind of token reaches, `escape.rs` what backslashes mean,
//! `error.rs` Solr's words for what does not fit. What operators and leaves mean is above (`lucene.rs`,
//! `leaf.rs`).

pub(crate) mod error;
pub(crate) mod escape;
pub(crate) mod parse;
mod scan;
mod token;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

pub use error::SyntaxError;
pub use parse::NESTING_MAX;

/// Reads a query and forgets it: the entry for fuzzing. Never panics; errors are syntax errors.
pub fn check(query: &str) -> Result<(), SyntaxError> {
    let read = |split| parse::parse(query, split).map(drop).map_err(|failure| failure.error);
    read(false).and_then(|()| read(true))
}
