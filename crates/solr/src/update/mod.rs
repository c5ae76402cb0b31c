//! Updates: bodies in Solr's formats become commands (`decode`), commands become a typed batch (the chain).
//! In: bytes as they arrive, parameters, schema and compiled configuration; out: a `plan::UpdateBatch` and
//! what failed. Nothing is applied here: that is `cluster`'s.

mod atomic;
mod binary_bounds;
mod cbor;
mod chain;
mod chain_choice;
mod chunk;
mod command;
mod convert;
mod csv;
mod csv_rows;
mod date_patterns;
mod date_text;
mod decode;
mod document;
mod edit_steps;
mod encoding;
mod in_place;
mod javabin;
mod json;
mod json_docs;
mod json_mapping;
mod json_reader;
mod json_value;
mod modifier;
mod nested;
mod number_text;
mod options;
#[cfg(test)]
mod pieces_tests;
mod processors;
#[cfg(test)]
mod robustness_tests;
#[cfg(test)]
mod testing;
mod xml;
mod xml_source;

pub use chain::{Chain, Processed};
pub use chain_choice::Route;
pub use command::{AddCommand, Decoded, Names, RawDocument, RawValue, UpdateCommand};
pub use convert::NewUuid;
pub(crate) use convert::decode_base64;
pub(crate) use csv_rows::Dialect;
pub(crate) use date_patterns::DatePatterns;
pub use decode::{DecodedPiece, Decoder, Resume, decode};
pub use edit_steps::EditSteps;
pub use encoding::BodyEncoding;
pub use json_reader::{Complaint, Event, JsonReader};
pub use json_value::{entries, value};
pub(crate) use nested::ANONYMOUS;
pub use options::UpdateOptions;
pub use processors::UpdateChains;
pub(crate) use processors::{compile_pattern, compile_replacement};
