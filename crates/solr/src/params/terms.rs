//! Which terms `/terms` lists, and `terms=true` beside the hits of a search. Definitions only, each with its
//! spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/terms.rs`. Patterns
//! (`terms.regex`) are Lucene's syntax and are translated where they are read.

use super::spec::{integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const TERMS: Preset<bool> =
    Param::new("terms", switch, "false", "Whether a search lists terms beside its hits.");
pub const FIELD: Param<String> =
    Param::new("terms.fl", text, NoDefault, "Lists the terms of this field. May repeat.");
pub const LOWER: Param<String> = Param::new("terms.lower", text, NoDefault, "The term to start at.");
pub const LOWER_INCLUDED: Preset<bool> =
    Param::new("terms.lower.incl", switch, "true", "Whether the lower bound itself is listed.");
pub const UPPER: Param<String> = Param::new("terms.upper", text, NoDefault, "The term to stop at.");
pub const UPPER_INCLUDED: Preset<bool> =
    Param::new("terms.upper.incl", switch, "false", "Whether the upper bound itself is listed.");
pub const PREFIX: Param<String> = Param::new("terms.prefix", text, NoDefault, "Only terms that begin so.");
pub const REGEX: Param<String> = Param::new(
    "terms.regex",
    text,
    NoDefault,
    "Only terms that match this expression as a whole. May repeat.",
);
pub const REGEX_FLAG: Param<String> = Param::new(
    "terms.regex.flag",
    text,
    NoDefault,
    "How expressions are read: `case_insensitive`, `dotall`, `multiline`, `comments`.",
);
pub const LIST: Param<String> =
    Param::new("terms.list", text, NoDefault, "Just these terms, with commas between.");
pub const COUNT_MIN: Preset<i32> =
    Param::new("terms.mincount", integer, "1", "Terms of fewer documents are left out.");
pub const COUNT_MAX: Preset<i32> =
    Param::new("terms.maxcount", integer, "-1", "Terms of more documents are left out; below 0 none.");
pub const LIMIT: Preset<i32> = Param::new("terms.limit", integer, "10", "Most terms; below 0 all.");
pub const SORT: Preset<String> =
    Param::new("terms.sort", text, "count", "`count`, most documents first, or `index`, in order of terms.");
pub const OCCURRENCES: Preset<bool> =
    Param::new("terms.ttf", switch, "false", "Also count how often each term occurs.");
pub const STATS: Preset<bool> =
    Param::new("terms.stats", switch, "false", "Also tell how many documents the index has.");
pub const RAW: Preset<bool> =
    Param::new("terms.raw", switch, "false", "Show terms as they are indexed; of texts they are the same.");

pub const DOCS: &[ParamDoc] = &[
    TERMS.doc(),
    FIELD.doc(),
    LOWER.doc(),
    LOWER_INCLUDED.doc(),
    UPPER.doc(),
    UPPER_INCLUDED.doc(),
    PREFIX.doc(),
    REGEX.doc(),
    REGEX_FLAG.doc(),
    LIST.doc(),
    COUNT_MIN.doc(),
    COUNT_MAX.doc(),
    LIMIT.doc(),
    SORT.doc(),
    OCCURRENCES.doc(),
    STATS.doc(),
    RAW.doc(),
];
