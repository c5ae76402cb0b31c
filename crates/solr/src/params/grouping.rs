//! Hits in groups (`group.*`), and the other members of collapsed groups (`expand.*`). Definitions only, each
//! with its spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/select/grouping.rs`
//! and `crates/solr/src/select/collapse.rs`; facets read which groups they count.

use super::spec::{integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const GROUP: Preset<bool> = Param::new("group", switch, "false", "Whether to show hits in groups.");
pub const FIELD: Param<String> =
    Param::new("group.field", text, NoDefault, "A group for each value of this field. May repeat.");
pub const FUNC: Param<String> =
    Param::new("group.func", text, NoDefault, "A group for each value of this function. May repeat.");
pub const QUERY: Param<String> =
    Param::new("group.query", text, NoDefault, "A group of the hits that match this query. May repeat.");
pub const LIMIT: Preset<i32> = Param::new("group.limit", integer, "1", "Most hits of a group; below 0 all.");
pub const OFFSET: Preset<i32> = Param::new("group.offset", integer, "0", "How many hits of a group to skip.");
pub const SORT: Param<String> =
    Param::new("group.sort", text, NoDefault, "The order within a group; else that of `sort`.");
pub const FORMAT: Preset<String> = Param::new(
    "group.format",
    text,
    "grouped",
    "`grouped`, or `simple`: one list, of which `start` and `rows` count hits.",
);
pub const MAIN: Preset<bool> =
    Param::new("group.main", switch, "false", "Show the last grouping as the response, in one list.");
pub const COUNT: Preset<bool> = Param::new("group.ngroups", switch, "false", "Also count the groups.");
pub const TRUNCATE: Preset<bool> = Param::new(
    "group.truncate",
    switch,
    "false",
    "Facets count only the best hit of each group of the first field or function.",
);
pub const FACET: Preset<bool> = Param::new(
    "group.facet",
    switch,
    "false",
    "Facets count the groups of the first field that have hits, and not the hits.",
);

pub const EXPAND: Preset<bool> =
    Param::new("expand", switch, "false", "Whether to show the other members of the groups on the page.");
pub const EXPAND_FIELD: Param<String> = Param::new(
    "expand.field",
    text,
    NoDefault,
    "The field of the groups; else the one that `{!collapse}` names.",
);
pub const EXPAND_QUERY: Param<String> =
    Param::new("expand.q", text, NoDefault, "Members of which query; else of `q`.");
pub const EXPAND_FILTER: Param<String> = Param::new(
    "expand.fq",
    text,
    NoDefault,
    "Filters of members; else those of the search, without collapsing. May repeat.",
);
pub const EXPAND_ROWS: Preset<i32> = Param::new("expand.rows", integer, "5", "Most members of a group.");
pub const EXPAND_SORT: Preset<String> =
    Param::new("expand.sort", text, "score desc", "The order within a group.");
pub const EXPAND_NULLS: Preset<bool> =
    Param::new("expand.nullGroup", switch, "false", "Whether hits without a value are a group.");

pub const DOCS: &[ParamDoc] = &[
    GROUP.doc(),
    FIELD.doc(),
    FUNC.doc(),
    QUERY.doc(),
    LIMIT.doc(),
    OFFSET.doc(),
    SORT.doc(),
    FORMAT.doc(),
    MAIN.doc(),
    COUNT.doc(),
    TRUNCATE.doc(),
    FACET.doc(),
    // Solr differs: it warns where that is too little (`compat/select/grouping_facets.yaml`).
    ParamDoc::hint("group.cache.percent", "How many hits Solr keeps between its two passes."),
    EXPAND.doc(),
    EXPAND_FIELD.doc(),
    EXPAND_QUERY.doc(),
    EXPAND_FILTER.doc(),
    EXPAND_ROWS.doc(),
    EXPAND_SORT.doc(),
    EXPAND_NULLS.doc(),
];
