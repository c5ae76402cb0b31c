//! Documents like others (`mlt.*`): beside the hits of `/select`, and at handlers of Solr's `MoreLikeThisHandler`.

use super::spec::{integer, switch, text};
use super::{Param, ParamDoc};

pub const MORE_LIKE: Param<bool> =
    Param::new("mlt", switch, Some("false"), "Whether to show documents like each of the hits.");
pub const FIELDS: Param<String> =
    Param::new("mlt.fl", text, None, "The fields whose words count, which must be stored. Required.");
pub const FREQUENCY_MIN: Param<i32> =
    Param::new("mlt.mintf", integer, Some("2"), "Words that the document has less often do not count.");
pub const DOCUMENTS_MIN: Param<i32> =
    Param::new("mlt.mindf", integer, Some("5"), "Words of fewer documents do not count.");
pub const DOCUMENTS_MAX: Param<i32> =
    Param::new("mlt.maxdf", integer, None, "Words of more documents do not count.");
pub const PERCENT_MAX: Param<i32> =
    Param::new("mlt.maxdfpct", integer, None, "Words of a greater part of the documents do not count.");
pub const LENGTH_MIN: Param<i32> = Param::new("mlt.minwl", integer, Some("0"), "Shorter words do not count.");
pub const LENGTH_MAX: Param<i32> =
    Param::new("mlt.maxwl", integer, Some("0"), "Longer words do not count; 0 is no bound.");
pub const TERMS_MAX: Param<i32> =
    Param::new("mlt.maxqt", integer, Some("25"), "How many words are searched, the most telling.");
pub const TOKENS_MAX: Param<i32> =
    Param::new("mlt.maxntp", integer, Some("5000"), "How many words of each text are read.");
pub const WEIGHTED: Param<bool> =
    Param::new("mlt.boost", switch, Some("false"), "Whether telling words count for more.");
pub const BOOSTS: Param<String> =
    Param::new("mlt.qf", text, None, "What the words of a field weigh: `name^2`. May repeat.");
pub const COUNT: Param<i32> =
    Param::new("mlt.count", integer, Some("5"), "How many documents like each hit are shown.");
pub const TERMS_SHOWN: Param<String> = Param::new(
    "mlt.interestingTerms",
    text,
    Some("none"),
    "Show the words: `list`, or `details` with weights.",
);
pub const MATCH_SHOWN: Param<bool> = Param::new(
    "mlt.match.include",
    switch,
    Some("true"),
    "Whether to show the document whose likes are searched, at a handler of its own.",
);
pub const MATCH_OFFSET: Param<i32> =
    Param::new("mlt.match.offset", integer, Some("0"), "Which of the hits of `q` that document is.");

pub const DOCS: &[ParamDoc] = &[
    MORE_LIKE.doc(),
    FIELDS.doc(),
    FREQUENCY_MIN.doc(),
    DOCUMENTS_MIN.doc(),
    DOCUMENTS_MAX.doc(),
    PERCENT_MAX.doc(),
    LENGTH_MIN.doc(),
    LENGTH_MAX.doc(),
    TERMS_MAX.doc(),
    TOKENS_MAX.doc(),
    WEIGHTED.doc(),
    BOOSTS.doc(),
    COUNT.doc(),
    TERMS_SHOWN.doc(),
    MATCH_SHOWN.doc(),
    MATCH_OFFSET.doc(),
];
