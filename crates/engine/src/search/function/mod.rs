//! Functions of documents: `lower` resolves fields, terms and what is the same for all documents;
//! `FunctionReader` opens the result in a segment and computes batches of at most [`DOC_BATCH`] documents, in
//! ascending order, with Lucene's precision: what it computes in single precision is single here. `range`
//! turns a function into bits, `FunctionScore` into scores.
//!
//! A reader answers for each document: a number (`floats`, `doubles`, `integers`), a truth (`flags`), whether
//! there is a value at all (`present`); and for one at a time what only results and texts need: `value`,
//! `text`, `describe`.

mod arithmetic;
mod batch;
mod column;
mod currency;
mod distance;
mod geohash;
mod leaf;
mod lower;
mod lowered;
mod payload;
mod range;
mod reader;
mod score;
mod single;
mod text;
mod truth;
mod values;

pub(crate) use batch::each_doc_batch;
pub(crate) use lower::lower;
pub(crate) use lowered::LoweredFunction;
pub(crate) use range::{FunctionRangeNode, range_label};
pub(crate) use reader::FunctionReader;
pub(crate) use score::{FunctionNode, FunctionScore};
pub use text::alike;
pub(crate) use values::{FunctionValues, SingleValues};

/// Documents computed at once.
pub(crate) const DOC_BATCH: usize = 128;
