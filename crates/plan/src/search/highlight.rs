//! What to mark in the stored texts of the hits on a page, and how to cut snippets out of them. One plan
//! holds a query, the fields, and for each field the options that hold for it: Solr lets every one of them be
//! given for one field alone. Lengths count UTF-16 units, as Solr's do.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::query::tree::Query;
use crate::schema::properties::Properties;
use crate::search::field_selection::FieldSelection;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HighlightPlan {
    /// What is looked for.
    pub query: Query,
    /// In the order shown; a field that several name is shown once.
    pub fields: Vec<HighlightField>,
    /// Of each field named.
    pub own: Vec<(Arc<str>, Arc<HighlightOptions>)>,
    /// Of fields that only a glob names, if there is one.
    pub globbed: Option<GlobbedOptions>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobbedOptions {
    pub plain: Arc<HighlightOptions>,
    /// For fields that have term vectors with offsets.
    pub of_vectors: Arc<HighlightOptions>,
}

impl HighlightPlan {
    /// The options of one field.
    pub fn options(&self, field: &str, properties: &Properties) -> Option<&Arc<HighlightOptions>> {
        let own = self.own.iter().find(|(name, _)| &**name == field).map(|(_, options)| options);
        own.or_else(|| {
            let GlobbedOptions { plain, of_vectors } = self.globbed.as_ref()?;
            Some(if properties.has_offset_vectors() { of_vectors } else { plain })
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HighlightField {
    Name(Arc<str>),
    /// Any run for each `*`: stored texts and strings of such names.
    Glob(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HighlightOptions {
    pub method: HighlightMethod,
    pub query_fields: QueryFields,
    /// Words of a phrase count only where the phrase stands.
    pub phrases: bool,
    /// Prefixes, wildcards, ranges and the like count too.
    pub multi_term: bool,
    /// Most snippets of a field.
    pub snippets: usize,
    /// A fragment's length as asked for; 0 does not cut.
    pub fragment_units: usize,
    /// How much of a field's text is read.
    pub text_units_max: usize,
    pub tags: Tags,
    /// Whether characters that mean something in HTML are written otherwise.
    pub html: bool,
}

/// Which fields of the query say what to mark in a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum QueryFields {
    Any,
    /// The field itself.
    Same,
    Named(FieldSelection),
}

/// What stands around a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tags {
    pub before: String,
    pub after: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HighlightMethod {
    Unified(UnifiedOptions),
    Original(OriginalOptions),
    FastVector(FastVectorOptions),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnifiedOptions {
    /// As Solr does where it has term vectors: what must not match is looked for in the text too, and matches
    /// are found in all of a text, be it shown or not.
    pub by_vectors: bool,
    /// Marks what the query as a whole matches, phrases in one piece.
    pub whole_matches: bool,
    /// Shows the beginning of a text without matches.
    pub default_summary: bool,
    /// Joins the passages of a field; without one each is a snippet of its own.
    pub ellipsis: Option<String>,
    pub scoring: PassageScoring,
    pub breaks: Breaks,
    /// The part of a passage's length that lies before its match, from 0 to 1.
    pub align: f32,
    /// Passages are no shorter than asked for, rather than about as long.
    pub at_least: bool,
}

/// BM25 with passages for documents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassageScoring {
    pub k1: f32,
    pub b: f32,
    /// The mean length of passages.
    pub pivot: f32,
}

/// Where a text may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Breaks {
    Sentence,
    Word,
    Line,
    Character,
    /// Behind each of these.
    Separator(char),
    Nowhere,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OriginalOptions {
    pub fragmenter: Fragmenter,
    /// Fragments that touch become one.
    pub merge_contiguous: bool,
    /// All values are shown in their order, matched or not.
    pub keep_values: bool,
    /// `None`: all of a field that may have many, else one.
    pub values_examined_max: Option<usize>,
    pub fragments_matched_max: usize,
    pub alternate: Option<Alternate>,
}

/// What to show of a document when nothing matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternate {
    pub field: Arc<str>,
    /// 0 shows all.
    pub units_max: usize,
    /// How matches in the other field are marked, when they are.
    pub marked: Option<Box<HighlightOptions>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fragmenter {
    /// By length alone.
    Gap,
    Regex(RegexFragmenter),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegexFragmenter {
    /// Java's syntax; matches should be fragments.
    pub pattern: String,
    /// How far a fragment's length may be off, as a part of it.
    pub slop: f32,
    /// Up to where the pattern is tried.
    pub text_units_max: usize,
    /// A larger gap of positions begins a fragment.
    pub gap: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FastVectorOptions {
    pub fragments: FragmentList,
    pub boundaries: Boundaries,
    /// Tags of the first phrase of the query, of the second, and so on around; never empty.
    pub tags: Vec<Tags>,
    /// Most phrases looked at in one text.
    pub phrases_max: usize,
    /// What stands between values.
    pub separator: char,
    pub alternate: Option<Alternate>,
}

/// How matches become fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FragmentList {
    Simple,
    /// Rarer terms weigh more.
    Weighted,
    /// The whole text.
    Single,
}

/// Where a fragment's ends are moved to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Boundaries {
    /// Next to one of these characters, if one is near.
    Near {
        characters: String,
        units_max: usize,
    },
    Breaks(Breaks),
}

/// The snippets of one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Highlights {
    /// The unique key's value.
    pub id: String,
    pub fields: Vec<(Arc<str>, Vec<String>)>,
}
