//! Suggestions: the suggesters that a collection declares, what to look up in them, and what was found. Names
//! and meanings of the settings are those of Solr's factories and Lucene's `AnalyzingInfixSuggester`,
//! `AnalyzingSuggester` and kin.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::function::expression::Expression;
use crate::partial::CutDepth;
use crate::query::shape::Occur;

/// A declared component and its suggesters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuggestComponent {
    pub name: String,
    pub suggesters: Vec<Suggester>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggester {
    pub name: String,
    pub source: SuggestSource,
    pub lookup: Lookup,
    /// The field type that reads entries and requests; `None` takes them as they are.
    pub field_type: Option<String>,
    pub build_on: BuildOn,
}

/// When it is built without being told to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildOn {
    pub commit: bool,
    /// After a commit that left one segment.
    pub optimize: bool,
    pub startup: bool,
}

/// Where entries come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SuggestSource {
    /// The stored values of a field, each an entry with what its document says.
    Documents {
        field: Arc<str>,
        weight: Option<SuggestWeight>,
        payload: Option<Arc<str>>,
        context: Option<Arc<str>>,
    },
    /// The terms of a field that are in many documents (a share of all below 1, else a number), weighed by
    /// how many.
    Terms { field: Arc<str>, threshold: f32 },
    /// The lines of a file beside the configuration, as they were when that was read.
    File { name: String, delimiter: String, entries: Arc<[ListedEntry]> },
}

/// What an entry weighs, by its document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SuggestWeight {
    Field(Arc<str>),
    Expression(Expression),
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedEntry {
    pub text: String,
    pub weight: i64,
    /// Present when the file's first line has one.
    pub payload: Option<String>,
}

/// How entries are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lookup {
    Infix(InfixLookup),
    Prefix(PrefixLookup),
    NextWord(NextWordLookup),
    Sorted(SortedLookup),
}

/// Entries any of whose words begin as asked, by weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InfixLookup {
    /// Whether a request that says nothing of it must find all its words.
    pub all_required: bool,
    /// Whether a request that says nothing of it shows what was found in bold.
    pub highlight: bool,
    /// Present when the weight also falls with the place of the word found.
    pub blend: Option<Blend>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blend {
    pub by: Fall,
    /// This many times the entries asked for are weighed.
    pub factor: usize,
}

/// By what the weight is multiplied at the position `p`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fall {
    /// `1 - p / 10`.
    Linear,
    /// `1 / (1 + p)`.
    Reciprocal,
    /// `1 / (1 + p)^exponent`.
    Exponential {
        exponent: f64,
    },
    None,
}

/// Entries that begin as asked, word by word after analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixLookup {
    /// The entry that is just as asked comes first.
    pub exact_first: bool,
    /// Where one word ends and another begins counts.
    pub separated: bool,
    /// Words left out count.
    pub holes: bool,
    /// Most entries that look the same after analysis.
    pub forms_max: usize,
    /// Most ways through an entry's token graph.
    pub paths_max: Option<usize>,
    pub fuzzy: Option<FuzzyPrefix>,
}

/// Edits allowed in what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuzzyPrefix {
    pub edits_max: usize,
    pub transpositions: bool,
    /// Leading units that must be the same.
    pub prefix: usize,
    /// Shorter requests allow none.
    pub length_min: usize,
    /// Units are characters, not bytes of UTF-8.
    pub characters: bool,
}

/// The next word of a text, by how often words follow one another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextWordLookup {
    /// Longest sequence of words counted.
    pub grams: usize,
    /// Stands between its words.
    pub separator: u8,
}

/// Entries that begin as asked, as they stand, by their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortedLookup {
    /// Of entries, put in order by weight, in this many parts, weights are the number of their part; else
    /// they are as given.
    pub parts: Option<u32>,
    /// Whether entries and what is asked are read in lower case.
    pub lowercase: bool,
}

/// What to look up in one suggester.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestPlan {
    pub component: String,
    pub suggester: String,
    pub ask: SuggestAsk,
    /// Most suggestions, at least 1.
    pub count: usize,
    pub depth: CutDepth,
}

impl SuggestPlan {
    /// How many entries a shard gives, if this many are suggested.
    pub fn given(&self) -> usize {
        if self.depth == CutDepth::Whole { usize::MAX } else { self.count }
    }
}

impl SuggestPlan {
    /// Whether the lookup is of a kind that takes microseconds, however much there is to suggest: it may then
    /// run where its request arrived. A guess, by the plan alone.
    pub fn is_light(&self) -> bool {
        /// More suggestions, letters or words take longer.
        const COUNT_LIGHT: usize = 50;
        const LETTERS_LIGHT: usize = 64;
        const WORDS_LIGHT: usize = 8;
        self.count <= COUNT_LIGHT
            && match &self.ask {
                SuggestAsk::Infix { words, contexts, .. } => {
                    words.len() <= WORDS_LIGHT && contexts.as_ref().is_none_or(Contexts::is_light)
                }
                SuggestAsk::Prefix { key, paths } => key.len() <= LETTERS_LIGHT && paths.len() <= WORDS_LIGHT,
                SuggestAsk::Sorted { .. } | SuggestAsk::NextWord { .. } => true,
            }
    }
}

/// A request after analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SuggestAsk {
    Infix {
        /// As it was typed: entries that begin so keep their weight.
        key: String,
        /// Whole words.
        words: Vec<String>,
        /// The beginning of another.
        prefix: Option<String>,
        all_required: bool,
        contexts: Option<Contexts>,
    },
    Prefix {
        key: String,
        /// The ways through its token graph, spelt as entries are (`analysis::graph_paths`).
        paths: Vec<String>,
    },
    Sorted {
        key: String,
    },
    NextWord {
        /// The last words, oldest first.
        words: Vec<String>,
        /// Whether the last word is whole.
        ended: bool,
        /// Positions left out behind the last word.
        left_out: usize,
    },
}

/// Of which contexts entries must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Contexts {
    Is(String),
    /// `*` any run, `?` one character.
    Like(String),
    Clauses(Vec<(Occur, Contexts)>),
    Nothing,
}

impl Contexts {
    /// Whether a few contexts are named.
    fn is_light(&self) -> bool {
        const CLAUSES_LIGHT: usize = 8;
        match self {
            Self::Is(_) | Self::Nothing => true,
            // Held against all contexts there are.
            Self::Like(_) => false,
            Self::Clauses(clauses) => {
                let is_plain = |(_, inner): &(Occur, Self)| matches!(inner, Self::Is(_) | Self::Nothing);
                clauses.len() <= CLAUSES_LIGHT && clauses.iter().all(is_plain)
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub text: String,
    pub weight: i64,
    pub payload: Option<String>,
}
