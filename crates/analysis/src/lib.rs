//! Text to tokens, by Solr's names: char filters, tokenizers and token filters, built from a schema's
//! analyzer specification. Texts come in as `&str`, tokens go out one at a time with byte offsets into that
//! text. Knows no index and no schema; behaviour is Lucene's as Solr 9.10 ships it (9.12.3), and where it
//! differs the file says so.

mod args;
mod boundary;
mod chain;
mod char_filter;
mod chars;
mod definition;
mod error;
mod filter;
mod graph_paths;
mod java_regex;
mod morphology;
mod normalizer;
mod offsets;
mod registry;
mod schema_analyzers;
mod stage;
mod stages_view;
mod synonym_map;
mod token;
mod tokenizer;
mod word_set;

pub use boundary::{Boundaries, BoundaryKind};
pub use chain::{Analyzer, TokenStream, Tokens};
pub use char_filter::strip_html;
pub use definition::{ComponentInfo, ComponentKind};
pub use error::{Error, ErrorKind};
pub use filter::{ManagedKind, managed_list};
pub use graph_paths::{PathOptions, WORD_SEPARATOR, graph_paths};
pub use java_regex::{JavaRegex, Replacement};
pub use normalizer::Normalizer;
pub use registry::{components, file_arguments, payload_kind, reverses_words};
pub use schema_analyzers::SchemaAnalyzers;
pub use stage::Ending;
pub use stages_view::{Output, Stage, StageOutput};
pub use token::{Boost, KIND_SYNONYM, KIND_WORD, Token};

#[cfg(test)]
mod tests;
