//! Which terms `/terms` lists, and `terms=true` beside the hits of a search.

use super::spec::{integer, switch, text};
use super::{Param, ParamDoc};

pub const TERMS: Param<bool> =
    Param::new("terms", switch, Some("false"), "Whether a search lists terms beside its hits.");
pub const FIELD: Param<String> =
    Param::new("terms.fl", text, None, "Lists the terms of this field. May repeat.");
pub const LOWER: Param<String> = Param::new("terms.lower", text, None, "The term to start at.");
pub const LOWER_INCLUDED: Param<bool> =
    Param::new("terms.lower.incl", switch, Some("true"), "Whether the lower bound itself is listed.");
pub const UPPER: Param<String> = Param::new("terms.upper", text, None, "The term to stop at.");
pub const UPPER_INCLUDED: Param<bool> =
    Param::new("terms.upper.incl", switch, Some("false"), "Whether the upper bound itself is listed.");
pub const PREFIX: Param<String> = Param::new("terms.prefix", text, None, "Only terms that begin so.");
pub const REGEX: Param<String> =
    Param::new("terms.regex", text, None, "Only terms that match this expression as a whole. May repeat.");
pub const REGEX_FLAG: Param<String> = Param::new(
    "terms.regex.flag",
    text,
    None,
    "How expressions are read: `case_insensitive`, `dotall`, `multiline`, `comments`.",
);
pub const LIST: Param<String> =
    Param::new("terms.list", text, None, "Just these terms, with commas between.");
pub const COUNT_MIN: Param<i32> =
    Param::new("terms.mincount", integer, Some("1"), "Terms of fewer documents are left out.");
pub const COUNT_MAX: Param<i32> =
    Param::new("terms.maxcount", integer, Some("-1"), "Terms of more documents are left out; below 0 none.");
pub const LIMIT: Param<i32> = Param::new("terms.limit", integer, Some("10"), "Most terms; below 0 all.");
pub const SORT: Param<String> = Param::new(
    "terms.sort",
    text,
    Some("count"),
    "`count`, most documents first, or `index`, in order of terms.",
);
pub const OCCURRENCES: Param<bool> =
    Param::new("terms.ttf", switch, Some("false"), "Also count how often each term occurs.");
pub const STATS: Param<bool> =
    Param::new("terms.stats", switch, Some("false"), "Also tell how many documents the index has.");
pub const RAW: Param<bool> = Param::new(
    "terms.raw",
    switch,
    Some("false"),
    "Show terms as they are indexed; of texts they are the same.",
);

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
