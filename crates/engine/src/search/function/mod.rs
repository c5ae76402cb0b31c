//! Functions of documents: `lower` resolves fields, terms and what is the same for all documents; `Reader`
//! opens the result in a segment and computes blocks of at most [`BLOCK`] documents, in ascending order, with
//! Lucene's precision: what it computes in single precision is single here. `range` turns a function into
//! bits, `FunctionScore` into scores.
//!
//! A reader answers for each document: a number (`floats`, `doubles`, `integers`), a truth (`flags`), whether
//! there is a value at all (`present`); and for one at a time what only results and texts need: `value`,
//! `text`, `describe`.

mod arithmetic;
mod block;
mod column;
mod currency;
mod distance;
mod geohash;
mod leaf;
mod lower;
mod payload;
mod range;
mod reader;
mod score;
mod single;
mod text;
mod truth;

pub(crate) use block::each_block;
pub(crate) use lower::{Lowered, lower};
pub(crate) use range::{FunctionRangeNode, range_label};
pub(crate) use reader::Reader;
pub(crate) use score::{FunctionNode, FunctionScore};
pub use text::alike;

/// Documents computed at once.
pub(crate) const BLOCK: usize = 128;
