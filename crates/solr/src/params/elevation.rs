//! What is put first by hand, at handlers that have a `QueryElevationComponent`. Definitions only, each with
//! its spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/select/elevation.rs`; the
//! rules of the configuration are `crates/solr/src/config/elevation.rs`.

use super::spec::{switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const ENABLE: Preset<bool> =
    Param::new("enableElevation", switch, "true", "Whether documents are put first, or hidden, by hand.");
pub const FORCE: Param<bool> = Param::new(
    "forceElevation",
    switch,
    NoDefault,
    "Put them first whatever the sort; else what the config says.",
);
pub const EXCLUSIVE: Preset<bool> =
    Param::new("exclusive", switch, "false", "Show nothing but what is put first.");
pub const MARK_EXCLUDES: Preset<bool> = Param::new(
    "markExcludes",
    switch,
    "false",
    "Show what is hidden too; `[excluded]` in `fl` tells which that is.",
);
pub const CONFIGURED_ORDER: Preset<bool> = Param::new(
    "useConfiguredElevatedOrder",
    switch,
    "true",
    "Whether what is put first is in the order of its list, or by score.",
);
pub const ONLY_MATCHING: Preset<bool> = Param::new(
    "elevateOnlyDocsMatchingQuery",
    switch,
    "false",
    "Put first only what the query finds anyway.",
);
pub const ELEVATE_IDS: Param<String> =
    Param::new("elevateIds", text, NoDefault, "These ids come first, in place of what the config says.");
pub const EXCLUDE_IDS: Param<String> =
    Param::new("excludeIds", text, NoDefault, "These ids are hidden, in place of what the config says.");
pub const EXCLUDE_TAGS: Param<String> = Param::new(
    "elevate.excludeTags",
    text,
    NoDefault,
    "Filters with one of these tags do not leave out what is put first.",
);

pub const COLLECT_WHEN_COLLAPSING: Preset<bool> = Param::new(
    "collectElevatedDocsWhenCollapsing",
    switch,
    "true",
    "Whether what is put first stays where `{!collapse}` finds several of a group.",
);

pub const DOCS: &[ParamDoc] = &[
    COLLECT_WHEN_COLLAPSING.doc(),
    ENABLE.doc(),
    FORCE.doc(),
    EXCLUSIVE.doc(),
    MARK_EXCLUDES.doc(),
    CONFIGURED_ORDER.doc(),
    ONLY_MATCHING.doc(),
    ELEVATE_IDS.doc(),
    EXCLUDE_IDS.doc(),
    EXCLUDE_TAGS.doc(),
];
