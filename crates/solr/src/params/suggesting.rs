//! What a handler's suggesting component does.

use super::spec::{integer, switch, text};
use super::{Param, ParamDoc};

pub const SUGGEST: Param<bool> =
    Param::new("suggest", switch, Some("false"), "Suggest completions, where the handler can.");
pub const QUERY: Param<String> = Param::new("suggest.q", text, None, "What to complete; by default `q`.");
pub const DICTIONARY: Param<String> = Param::new(
    "suggest.dictionary",
    text,
    Some("default"),
    "The suggester to ask. May repeat: each answers for itself.",
);
pub const COUNT: Param<i32> =
    Param::new("suggest.count", integer, Some("1"), "Most suggestions of each suggester.");
pub const CONTEXTS: Param<String> = Param::new(
    "suggest.cfq",
    text,
    None,
    "Of which contexts suggestions must be: words with `+`, `-`, `AND`, `OR`, `NOT`, parentheses, `*` and `?`.",
);
pub const ALL_REQUIRED: Param<bool> = Param::new(
    "suggest.allTermsRequired",
    switch,
    Some("true"),
    "Whether suggestions must have all words, where `suggest.cfq` is sent; else the suggester says.",
);
pub const BUILD: Param<bool> =
    Param::new("suggest.build", switch, Some("false"), "Build the suggesters asked, before they answer.");
pub const BUILD_ALL: Param<bool> =
    Param::new("suggest.buildAll", switch, Some("false"), "Build all suggesters of the handler.");
pub const RELOAD: Param<bool> = Param::new(
    "suggest.reload",
    switch,
    Some("false"),
    "Acknowledged; suggesters are in memory, so there is nothing to read again.",
);
pub const RELOAD_ALL: Param<bool> =
    Param::new("suggest.reloadAll", switch, Some("false"), "As `suggest.reload`.");
const HIGHLIGHT: ParamDoc = ParamDoc::hint(
    "suggest.highlight",
    "Changes nothing, as in Solr: the suggester's `highlight` says whether what was found is in bold.",
);

pub const DOCS: &[ParamDoc] = &[
    SUGGEST.doc(),
    QUERY.doc(),
    DICTIONARY.doc(),
    COUNT.doc(),
    CONTEXTS.doc(),
    ALL_REQUIRED.doc(),
    BUILD.doc(),
    BUILD_ALL.doc(),
    RELOAD.doc(),
    RELOAD_ALL.doc(),
    HIGHLIGHT,
];
