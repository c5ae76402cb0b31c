//! What a handler's suggesting component does. Definitions only, each with its spelling, sentence, default
//! and parser (`spec.rs`); read by `crates/solr/src/suggest/request.rs`. Dictionaries and what they look up
//! by are the configset's (`crates/solr/src/config/suggest_lookups.rs`).

use super::spec::{integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const SUGGEST: Preset<bool> =
    Param::new("suggest", switch, "false", "Suggest completions, where the handler can.");
pub const QUERY: Param<String> =
    Param::new("suggest.q", text, NoDefault, "What to complete; by default `q`.");
pub const DICTIONARY: Preset<String> = Param::new(
    "suggest.dictionary",
    text,
    "default",
    "The suggester to ask. May repeat: each answers for itself.",
);
pub const COUNT: Preset<i32> =
    Param::new("suggest.count", integer, "1", "Most suggestions of each suggester.");
pub const CONTEXTS: Param<String> = Param::new(
    "suggest.cfq",
    text,
    NoDefault,
    "Of which contexts suggestions must be: words with `+`, `-`, `AND`, `OR`, `NOT`, parentheses, `*` and `?`.",
);
pub const ALL_REQUIRED: Preset<bool> = Param::new(
    "suggest.allTermsRequired",
    switch,
    "true",
    "Whether suggestions must have all words, where `suggest.cfq` is sent; else the suggester says.",
);
pub const BUILD: Preset<bool> =
    Param::new("suggest.build", switch, "false", "Build the suggesters asked, before they answer.");
pub const BUILD_ALL: Preset<bool> =
    Param::new("suggest.buildAll", switch, "false", "Build all suggesters of the handler.");
pub const RELOAD: Preset<bool> = Param::new(
    "suggest.reload",
    switch,
    "false",
    "Acknowledged; suggesters are in memory, so there is nothing to read again.",
);
pub const RELOAD_ALL: Preset<bool> = Param::new("suggest.reloadAll", switch, "false", "As `suggest.reload`.");
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
