//! Hits in groups (`group.*`), and the other members of collapsed groups (`expand.*`).

use super::spec::{integer, switch, text};
use super::{Param, ParamDoc};

pub const GROUP: Param<bool> = Param::new("group", switch, Some("false"), "Whether to show hits in groups.");
pub const FIELD: Param<String> =
    Param::new("group.field", text, None, "A group for each value of this field. May repeat.");
pub const FUNC: Param<String> =
    Param::new("group.func", text, None, "A group for each value of this function. May repeat.");
pub const QUERY: Param<String> =
    Param::new("group.query", text, None, "A group of the hits that match this query. May repeat.");
pub const LIMIT: Param<i32> =
    Param::new("group.limit", integer, Some("1"), "Most hits of a group; below 0 all.");
pub const OFFSET: Param<i32> =
    Param::new("group.offset", integer, Some("0"), "How many hits of a group to skip.");
pub const SORT: Param<String> =
    Param::new("group.sort", text, None, "The order within a group; else that of `sort`.");
pub const FORMAT: Param<String> = Param::new(
    "group.format",
    text,
    Some("grouped"),
    "`grouped`, or `simple`: one list, of which `start` and `rows` count hits.",
);
pub const MAIN: Param<bool> =
    Param::new("group.main", switch, Some("false"), "Show the last grouping as the response, in one list.");
pub const COUNT: Param<bool> = Param::new("group.ngroups", switch, Some("false"), "Also count the groups.");
pub const TRUNCATE: Param<bool> = Param::new(
    "group.truncate",
    switch,
    Some("false"),
    "Facets count only the best hit of each group of the first field or function.",
);
pub const FACET: Param<bool> = Param::new(
    "group.facet",
    switch,
    Some("false"),
    "Facets count the groups of the first field that have hits, and not the hits.",
);

pub const EXPAND: Param<bool> = Param::new(
    "expand",
    switch,
    Some("false"),
    "Whether to show the other members of the groups on the page.",
);
pub const EXPAND_FIELD: Param<String> =
    Param::new("expand.field", text, None, "The field of the groups; else the one that `{!collapse}` names.");
pub const EXPAND_QUERY: Param<String> =
    Param::new("expand.q", text, None, "Members of which query; else of `q`.");
pub const EXPAND_FILTER: Param<String> = Param::new(
    "expand.fq",
    text,
    None,
    "Filters of members; else those of the search, without collapsing. May repeat.",
);
pub const EXPAND_ROWS: Param<i32> = Param::new("expand.rows", integer, Some("5"), "Most members of a group.");
pub const EXPAND_SORT: Param<String> =
    Param::new("expand.sort", text, Some("score desc"), "The order within a group.");
pub const EXPAND_NULLS: Param<bool> =
    Param::new("expand.nullGroup", switch, Some("false"), "Whether hits without a value are a group.");

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
