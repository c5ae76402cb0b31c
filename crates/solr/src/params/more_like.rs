//! Documents like others (`mlt.*`): beside the hits of `/select`, and at handlers of Solr's
//! `MoreLikeThisHandler`. Definitions only, each with its spelling, sentence, default and parser (`spec.rs`);
//! read by `crates/solr/src/select/more_like.rs`. What the terms of a document are worth is counted in
//! `engine`.

use super::spec::{integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const MORE_LIKE: Preset<bool> =
    Param::new("mlt", switch, "false", "Whether to show documents like each of the hits.");
pub const FIELDS: Param<String> = Param::new(
    "mlt.fl",
    text,
    NoDefault,
    "The fields whose words count. Of one that is neither stored nor has docValues, they are looked for among all terms of the index. Required.",
);
pub const FREQUENCY_MIN: Preset<i32> =
    Param::new("mlt.mintf", integer, "2", "Words that the document has less often do not count.");
pub const DOCUMENTS_MIN: Preset<i32> =
    Param::new("mlt.mindf", integer, "5", "Words of fewer documents do not count.");
pub const DOCUMENTS_MAX: Param<i32> =
    Param::new("mlt.maxdf", integer, NoDefault, "Words of more documents do not count.");
pub const PERCENT_MAX: Param<i32> =
    Param::new("mlt.maxdfpct", integer, NoDefault, "Words of a greater part of the documents do not count.");
pub const LENGTH_MIN: Preset<i32> = Param::new("mlt.minwl", integer, "0", "Shorter words do not count.");
pub const LENGTH_MAX: Preset<i32> =
    Param::new("mlt.maxwl", integer, "0", "Longer words do not count; 0 is no bound.");
pub const TERMS_MAX: Preset<i32> =
    Param::new("mlt.maxqt", integer, "25", "How many words are searched, the most telling.");
pub const TOKENS_MAX: Preset<i32> =
    Param::new("mlt.maxntp", integer, "5000", "How many words of each text are read.");
pub const WEIGHTED: Preset<bool> =
    Param::new("mlt.boost", switch, "false", "Whether telling words count for more.");
pub const BOOSTS: Param<String> =
    Param::new("mlt.qf", text, NoDefault, "What the words of a field weigh: `name^2`. May repeat.");
pub const COUNT: Preset<i32> =
    Param::new("mlt.count", integer, "5", "How many documents like each hit are shown.");
pub const TERMS_SHOWN: Preset<String> =
    Param::new("mlt.interestingTerms", text, "none", "Show the words: `list`, or `details` with weights.");
pub const MATCH_SHOWN: Preset<bool> = Param::new(
    "mlt.match.include",
    switch,
    "true",
    "Whether to show the document whose likes are searched, at a handler of its own.",
);
pub const MATCH_OFFSET: Preset<i32> =
    Param::new("mlt.match.offset", integer, "0", "Which of the hits of `q` that document is.");

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
