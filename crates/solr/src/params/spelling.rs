//! What a handler's spelling component does. Definitions only, each with its spelling, sentence, default and
//! parser (`spec.rs`); read by `crates/solr/src/spell/request.rs`. What words are compared and what is found
//! is the engine's; which component is asked is the configuration's.

use super::spec::{float, integer, switch, text};
use super::{Family, NoDefault, Param, ParamDoc, Preset};

pub const SPELLCHECK: Preset<bool> =
    Param::new("spellcheck", switch, "false", "Suggest other spellings, where the handler can.");
pub const QUERY: Param<String> =
    Param::new("spellcheck.q", text, NoDefault, "The words to check; by default those of `q`.");
pub const DICTIONARY: Preset<String> = Param::new(
    "spellcheck.dictionary",
    text,
    "default",
    "The dictionary to ask. May repeat: then suggestions are taken from each in turn.",
);
pub const BUILD: Preset<bool> = Param::new(
    "spellcheck.build",
    switch,
    "false",
    "Acknowledged; dictionaries are the terms of the index, so there is nothing to build.",
);
pub const RELOAD: Preset<bool> = Param::new("spellcheck.reload", switch, "false", "As `spellcheck.build`.");
pub const COUNT: Preset<i32> =
    Param::new("spellcheck.count", integer, "1", "Most suggestions for a word that no document has.");
pub const ALTERNATIVES: Preset<i32> = Param::new(
    "spellcheck.alternativeTermCount",
    integer,
    "0",
    "Most suggestions for a word that some documents have; at 0 it has none.",
);
pub const MORE_POPULAR: Preset<bool> = Param::new(
    "spellcheck.onlyMorePopular",
    switch,
    "false",
    "Suggest words of more documents only, also for words that some documents have.",
);
pub const EXTENDED: Preset<bool> = Param::new(
    "spellcheck.extendedResults",
    switch,
    "false",
    "Show how many documents have the words, and whether the query found enough.",
);
pub const RESULTS_MAX: Preset<f32> = Param::new(
    "spellcheck.maxResultsForSuggest",
    float,
    "0",
    "Suggest only where the query found no more: a number of documents, or a share of those that pass the filters.",
);
pub const RESULTS_MAX_FILTER: Param<String> = Param::new(
    "spellcheck.maxResultsForSuggest.fq",
    text,
    NoDefault,
    "The query that `spellcheck.maxResultsForSuggest` is a share of, instead of the narrowest filter.",
);
pub const ACCURACY: Param<f32> = Param::new(
    "spellcheck.accuracy",
    float,
    NoDefault,
    "How alike a suggestion must be at least, from 0 to 1, instead of the dictionary's own bound.",
);
pub const COLLATE: Preset<bool> =
    Param::new("spellcheck.collate", switch, "false", "Also show the query with its words corrected.");
pub const COLLATIONS_MAX: Preset<i32> =
    Param::new("spellcheck.maxCollations", integer, "1", "Most corrected queries.");
pub const COLLATION_TRIES_MAX: Preset<i32> = Param::new(
    "spellcheck.maxCollationTries",
    integer,
    "0",
    "Most corrected queries that are tried out, so that only those that find something are shown; 0 tries none.",
);
pub const COLLATION_EVALUATIONS_MAX: Preset<i32> = Param::new(
    "spellcheck.maxCollationEvaluations",
    integer,
    "10000",
    "Most combinations of suggestions among which the best are sought.",
);
pub const COLLATION_EXTENDED: Preset<bool> = Param::new(
    "spellcheck.collateExtendedResults",
    switch,
    "false",
    "Show how much each corrected query finds, and what was corrected.",
);
pub const COLLATION_DOCUMENTS_MAX: Preset<i32> = Param::new(
    "spellcheck.collateMaxCollectDocs",
    integer,
    "0",
    "Count the finds of a corrected query so far only and estimate the rest; 0 counts all.",
);
pub const COLLATION_PARAMS: Family = Family {
    name: "spellcheck.collateParam.<name>",
    about: "This parameter's value where a corrected query is tried out; an empty one leaves it out.",
};

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
    COLLATION_PARAMS.doc(),
];
