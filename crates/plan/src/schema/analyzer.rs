//! What an analyzer is made of, as a schema names it: char filters, one tokenizer, token filters, each with
//! its arguments as written. Pure data: the crate `analysis` builds a running chain from it and reports
//! unknown names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One component of an analyzer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentSpec {
    /// As the schema spells it: an SPI name (`lowercase`) or a class (`solr.LowerCaseFilterFactory`).
    pub name: String,
    /// Attributes as written, without `name` and `class`.
    pub args: BTreeMap<String, String>,
}

/// A chain: text passes the char filters, is cut by the tokenizer, and its tokens pass the filters, each in
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalyzerSpec {
    pub char_filters: Vec<ComponentSpec>,
    /// The schema loader guarantees one; an empty name is an error of the builder.
    pub tokenizer: ComponentSpec,
    pub filters: Vec<ComponentSpec>,
}

/// The text files (stop words, synonyms, protected words) that a schema's components name, by file name.
pub type Resources = BTreeMap<String, String>;
