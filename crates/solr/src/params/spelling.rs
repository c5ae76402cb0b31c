//! What a handler's spelling component does.

use super::spec::{float, integer, switch, text};
use super::{Param, ParamDoc};

pub const SPELLCHECK: Param<bool> =
    Param::new("spellcheck", switch, Some("false"), "Suggest other spellings, where the handler can.");
pub const QUERY: Param<String> =
    Param::new("spellcheck.q", text, None, "The words to check; by default those of `q`.");
pub const DICTIONARY: Param<String> = Param::new(
    "spellcheck.dictionary",
    text,
    Some("default"),
    "The dictionary to ask. May repeat: then suggestions are taken from each in turn.",
);
pub const BUILD: Param<bool> = Param::new(
    "spellcheck.build",
    switch,
    Some("false"),
    "Acknowledged; dictionaries are the terms of the index, so there is nothing to build.",
);
pub const RELOAD: Param<bool> =
    Param::new("spellcheck.reload", switch, Some("false"), "As `spellcheck.build`.");
pub const COUNT: Param<i32> =
    Param::new("spellcheck.count", integer, Some("1"), "Most suggestions for a word that no document has.");
pub const ALTERNATIVES: Param<i32> = Param::new(
    "spellcheck.alternativeTermCount",
    integer,
    Some("0"),
    "Most suggestions for a word that some documents have; at 0 it has none.",
);
pub const MORE_POPULAR: Param<bool> = Param::new(
    "spellcheck.onlyMorePopular",
    switch,
    Some("false"),
    "Suggest words of more documents only, also for words that some documents have.",
);
pub const EXTENDED: Param<bool> = Param::new(
    "spellcheck.extendedResults",
    switch,
    Some("false"),
    "Show how many documents have the words, and whether the query found enough.",
);
pub const RESULTS_MAX: Param<f32> = Param::new(
    "spellcheck.maxResultsForSuggest",
    float,
    Some("0"),
    "Suggest only where the query found no more: a number of documents, or a share of those that pass the filters.",
);
pub const RESULTS_MAX_FILTER: Param<String> = Param::new(
    "spellcheck.maxResultsForSuggest.fq",
    text,
    None,
    "The query that `spellcheck.maxResultsForSuggest` is a share of, instead of the narrowest filter.",
);
pub const ACCURACY: Param<f32> = Param::new(
    "spellcheck.accuracy",
    float,
    None,
    "How alike a suggestion must be at least, from 0 to 1, instead of the dictionary's own bound.",
);
pub const COLLATE: Param<bool> =
    Param::new("spellcheck.collate", switch, Some("false"), "Also show the query with its words corrected.");
pub const COLLATIONS_MAX: Param<i32> =
    Param::new("spellcheck.maxCollations", integer, Some("1"), "Most corrected queries.");
pub const COLLATION_TRIES_MAX: Param<i32> = Param::new(
    "spellcheck.maxCollationTries",
    integer,
    Some("0"),
    "Most corrected queries that are tried out, so that only those that find something are shown; 0 tries none.",
);
pub const COLLATION_EVALUATIONS_MAX: Param<i32> = Param::new(
    "spellcheck.maxCollationEvaluations",
    integer,
    Some("10000"),
    "Most combinations of suggestions among which the best are sought.",
);
pub const COLLATION_EXTENDED: Param<bool> = Param::new(
    "spellcheck.collateExtendedResults",
    switch,
    Some("false"),
    "Show how much each corrected query finds, and what was corrected.",
);
pub const COLLATION_DOCUMENTS_MAX: Param<i32> = Param::new(
    "spellcheck.collateMaxCollectDocs",
    integer,
    Some("0"),
    "Count the finds of a corrected query so far only and estimate the rest; 0 counts all.",
);
/// What stands before a parameter that applies to trials of corrected queries only.
pub(crate) const COLLATION_PARAM: &str = "spellcheck.collateParam.";

pub const DOCS: &[ParamDoc] = &[
    SPELLCHECK.doc(),
    QUERY.doc(),
    DICTIONARY.doc(),
    BUILD.doc(),
    RELOAD.doc(),
    COUNT.doc(),
    ALTERNATIVES.doc(),
    MORE_POPULAR.doc(),
    EXTENDED.doc(),
    RESULTS_MAX.doc(),
    RESULTS_MAX_FILTER.doc(),
    ACCURACY.doc(),
    COLLATE.doc(),
    COLLATIONS_MAX.doc(),
    COLLATION_TRIES_MAX.doc(),
    COLLATION_EVALUATIONS_MAX.doc(),
    COLLATION_EXTENDED.doc(),
    COLLATION_DOCUMENTS_MAX.doc(),
];
