//! Spelling: the dictionaries that a collection declares, what to look up in them, and what was found. Names
//! and meanings of the settings are Solr's (`SpellCheckComponent`) and Lucene's (`DirectSpellChecker`,
//! `WordBreakSpellChecker`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::function::operator::StringMeasure;
use crate::query::shape::Fuzzy;

/// A declared component: its dictionaries, and the field type that reads the words of `q`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpellComponent {
    pub name: String,
    /// `None`, or a type that the schema does not have, cuts at white space.
    pub query_type: Option<String>,
    pub dictionaries: Vec<SpellDictionary>,
    /// Those of classes that are not served, each with its class: a request that names one is refused.
    #[serde(default)]
    pub unserved: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpellDictionary {
    pub name: String,
    /// Whose terms are the words.
    pub field: Arc<str>,
    /// The type that reads `spellcheck.q`; `None` is the field's own.
    pub field_type: Option<String>,
    pub checker: Checker,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Checker {
    Near(NearWords),
    Broken(BrokenWords),
}

/// Words a few edits away (`DirectSolrSpellChecker`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearWords {
    /// `None` is Lucene's own measure, by which candidates are found.
    pub measure: Option<StringMeasure>,
    /// Least likeness, from 0 to 1.
    pub accuracy: f32,
    /// 1 or 2.
    pub edits_max: u8,
    /// Leading characters that must be the same.
    pub prefix_min: usize,
    /// Candidates looked at for each suggestion asked for.
    pub inspections_max: usize,
    /// Bounds of the word, in characters.
    pub length_min: usize,
    pub length_max: usize,
    /// Words of more documents are not corrected: a share of all below 1, else a number.
    pub query_frequency_max: f32,
    /// Words of fewer documents are not suggested: a share of all below 1, else a number.
    pub frequency_min: f32,
    /// Orders by documents before likeness.
    pub by_frequency: bool,
}

impl Default for NearWords {
    fn default() -> Self {
        Self {
            measure: None,
            accuracy: 0.5,
            edits_max: 2,
            prefix_min: 1,
            inspections_max: 5,
            length_min: 4,
            length_max: usize::MAX,
            query_frequency_max: 0.01,
            frequency_min: 0.0,
            by_frequency: false,
        }
    }
}

/// Words run together or torn apart (`WordBreakSolrSpellChecker`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenWords {
    pub combine: bool,
    pub tear: bool,
    /// Most joints or cuts.
    pub changes_max: usize,
    /// Characters of the shortest piece.
    pub piece_min: usize,
    /// Characters of the longest word put together.
    pub combined_max: usize,
    /// Most cuts and joints tried for a request.
    pub evaluations_max: usize,
    pub frequency_min: u64,
    /// Of pieces, the sum of their documents decides, not the most.
    pub by_sum: bool,
}

impl Default for BrokenWords {
    fn default() -> Self {
        Self {
            combine: false,
            tear: false,
            changes_max: 1,
            piece_min: 1,
            combined_max: 20,
            evaluations_max: 1000,
            frequency_min: 1,
            by_sum: false,
        }
    }
}

/// When a word is given suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpellMode {
    /// When no document has it.
    Unknown,
    /// By words of more documents only.
    MorePopular,
    Always,
}

/// What to look up: all words in each dictionary.
#[derive(Clone, Debug, PartialEq)]
pub struct SpellPlan {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    /// Those to ask, at least one. The results of several are woven into one.
    pub dictionaries: Vec<SpellDictionary>,
    pub words: Vec<SpellWord>,
    /// Most suggestions for a word that no document has.
    pub count: usize,
    /// Most suggestions for a word that some have; 0 treats it as the others.
    pub alternatives: usize,
    pub mode: SpellMode,
    /// Instead of each dictionary's own.
    pub accuracy: Option<f32>,
}

/// A word of the query. Offsets count UTF-16 units of the text it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpellWord {
    pub text: String,
    pub start: usize,
    pub end: usize,
    /// Positions since the word before: 0 for one that analysis added.
    pub increment: u32,
    pub role: WordRole,
}

/// How a word stands in its query: words of different roles are never joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WordRole {
    pub prohibited: bool,
    pub required: bool,
    /// Another operator comes behind it.
    pub before_operator: bool,
    /// The query has operators.
    pub in_boolean: bool,
}

/// Words to look up in the terms of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WordsPlan {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    pub field: Arc<str>,
    /// How many documents have each of these.
    pub exact: Vec<String>,
    /// All terms that are near these.
    pub near: Vec<Fuzzy>,
}

/// A word with what is suggested for it, best first. For words run together it is all of them with spaces
/// between.
#[derive(Clone, Debug, PartialEq)]
pub struct SpellFinding {
    pub word: SpellWord,
    /// Documents that have the word.
    pub documents: u64,
    /// (suggestion, documents), each suggestion once.
    pub suggestions: Vec<(String, u64)>,
}
