//! Classic facets: which, and how each is counted, ordered, cut. Those marked so may be given for one field
//! as `f.<field>.<name>` or in the facet's local parameters. Definitions only: the name, what is read, the
//! default, and the sentence of the reference; `facet/` reads them.

use super::spec::{double, integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const FACET: Preset<bool> = Param::new("facet", switch, "false", "Whether to count facets at all.");
pub const QUERY: Param<String> =
    Param::new("facet.query", text, NoDefault, "Counts the hits that also match this query. May repeat.");
pub const FIELD: Param<String> =
    Param::new("facet.field", text, NoDefault, "Counts the hits of each value of this field. May repeat.");
pub const RANGE: Param<String> =
    Param::new("facet.range", text, NoDefault, "Counts the hits in ranges of this field. May repeat.");

pub const SORT: Param<String> = Param::per_field(
    "facet.sort",
    text,
    NoDefault,
    "`count` or `index`; by count when there is a limit, else by value.",
);
pub const LIMIT: Preset<i32> = Param::per_field("facet.limit", integer, "100", "Most values; below 0 all.");
pub const OFFSET: Preset<i32> = Param::per_field("facet.offset", integer, "0", "How many values to skip.");
pub const MIN_COUNT: Param<i32> =
    Param::per_field("facet.mincount", integer, NoDefault, "Values with fewer hits are left out.");
pub const ZEROS: Preset<bool> =
    Param::per_field("facet.zeros", switch, "true", "The old name of `facet.mincount`: `false` is 1.");
pub const MISSING: Preset<bool> =
    Param::per_field("facet.missing", switch, "false", "Also count the hits without a value.");
pub const PREFIX: Param<String> =
    Param::per_field("facet.prefix", text, NoDefault, "Only values that begin so.");
pub const CONTAINS: Param<String> =
    Param::per_field("facet.contains", text, NoDefault, "Only values that hold this text.");
pub const CONTAINS_IGNORE_CASE: Preset<bool> =
    Param::per_field("facet.contains.ignoreCase", switch, "false", "Whether `facet.contains` ignores case.");
pub const MATCHES: Param<String> =
    Param::per_field("facet.matches", text, NoDefault, "Only values that match this regular expression.");
pub const EXCLUDE_TERMS: Param<String> =
    Param::per_field("facet.excludeTerms", text, NoDefault, "Values to leave out, separated by commas.");
pub const EXISTS: Preset<bool> =
    Param::per_field("facet.exists", switch, "false", "Count at most one: whether any hit has the value.");

pub const METHOD: Param<String> = Param::per_field(
    "facet.method",
    text,
    NoDefault,
    "How Solr counts: `fc`, `fcs`, `enum`, `uif`. By `enum` also text that may not be uninverted.",
);
pub const THREADS: Param<i32> =
    Param::new("facet.threads", integer, NoDefault, "On how many threads Solr counts fields.");

pub const RANGE_START: Param<String> =
    Param::per_field("facet.range.start", text, NoDefault, "Where the ranges begin.");
pub const RANGE_END: Param<String> =
    Param::per_field("facet.range.end", text, NoDefault, "Where the ranges end.");
pub const RANGE_GAP: Param<String> = Param::per_field(
    "facet.range.gap",
    text,
    NoDefault,
    "The size of a range; for dates date math such as `+1DAY`.",
);
pub const RANGE_HARD_END: Preset<bool> = Param::per_field(
    "facet.range.hardend",
    switch,
    "false",
    "Whether the last range is cut at the end rather than a whole gap long.",
);
pub const RANGE_OTHER: Param<String> = Param::per_field(
    "facet.range.other",
    text,
    NoDefault,
    "Also count `before`, `after`, `between`, or `all` of them. May repeat.",
);
pub const RANGE_INCLUDE: Preset<String> = Param::per_field(
    "facet.range.include",
    text,
    "lower",
    "Which bounds belong to a range: `lower`, `upper`, `edge`, `outer`, `all`. May repeat.",
);
pub const RANGE_METHOD: Param<String> = Param::per_field(
    "facet.range.method",
    text,
    NoDefault,
    "`filter` or `dv`: how Solr counts; answers are the same.",
);

pub const INTERVAL: Param<String> = Param::new(
    "facet.interval",
    text,
    NoDefault,
    "Counts the hits in intervals of this field, which may overlap. May repeat.",
);
pub const INTERVAL_SET: Param<String> = Param::per_field(
    "facet.interval.set",
    text,
    NoDefault,
    "An interval such as `[0,10)` or `{!key=label}(5,*]`. May repeat.",
);
pub const PIVOT: Param<String> = Param::new(
    "facet.pivot",
    text,
    NoDefault,
    "Fields between commas: the values of the first, below each those of the second, and so on. May repeat.",
);
pub const PIVOT_MIN_COUNT: Preset<i32> =
    Param::per_field("facet.pivot.mincount", integer, "1", "As `facet.mincount`, for pivots.");

pub const HEATMAP: Param<String> = Param::new(
    "facet.heatmap",
    text,
    NoDefault,
    "Counts the hits in the cells of a map, of this field on a grid. May repeat.",
);
pub const HEATMAP_GEOMETRY: Param<String> = Param::per_field(
    "facet.heatmap.geom",
    text,
    NoDefault,
    "What the map shows: a shape, or `[\"west south\" TO \"east north\"]`; else the earth.",
);
pub const HEATMAP_LEVEL: Param<i32> = Param::per_field(
    "facet.heatmap.gridLevel",
    integer,
    NoDefault,
    "The level of the field's grid whose cells are counted, in place of an error.",
);
pub const HEATMAP_ERROR: Param<f64> = Param::per_field(
    "facet.heatmap.distErr",
    double,
    NoDefault,
    "How large a cell may be, in the field's unit.",
);
pub const HEATMAP_ERROR_PART: Preset<f64> = Param::per_field(
    "facet.heatmap.distErrPct",
    double,
    "0.15",
    "How large a cell may be, as a part of the way from the map's middle to its corner.",
);
pub const HEATMAP_CELLS_MAX: Preset<i32> =
    Param::per_field("facet.heatmap.maxCells", integer, "100000", "More cells are an error.");
pub const HEATMAP_FORM: Preset<String> = Param::per_field(
    "facet.heatmap.format",
    text,
    "ints2D",
    "`ints2D`, rows of numbers from the north, or `png`, a picture whose pixels are the numbers.",
);

pub const DOCS: &[ParamDoc] = &[
    FACET.doc(),
    QUERY.doc(),
    FIELD.doc(),
    SORT.doc(),
    LIMIT.doc(),
    OFFSET.doc(),
    MIN_COUNT.doc(),
    ZEROS.doc(),
    MISSING.doc(),
    PREFIX.doc(),
    CONTAINS.doc(),
    CONTAINS_IGNORE_CASE.doc(),
    MATCHES.doc(),
    EXCLUDE_TERMS.doc(),
    EXISTS.doc(),
    METHOD.doc(),
    RANGE.doc(),
    RANGE_START.doc(),
    RANGE_END.doc(),
    RANGE_GAP.doc(),
    RANGE_HARD_END.doc(),
    RANGE_OTHER.doc(),
    RANGE_INCLUDE.doc(),
    RANGE_METHOD.doc(),
    HEATMAP.doc(),
    HEATMAP_GEOMETRY.doc(),
    HEATMAP_LEVEL.doc(),
    HEATMAP_ERROR.doc(),
    HEATMAP_ERROR_PART.doc(),
    HEATMAP_CELLS_MAX.doc(),
    HEATMAP_FORM.doc(),
    INTERVAL.doc(),
    INTERVAL_SET.doc(),
    PIVOT.doc(),
    PIVOT_MIN_COUNT.doc(),
    ParamDoc::hint("facet.enum.cache.minDf", "From which frequency on Solr's `enum` method caches."),
    THREADS.hint(),
    ParamDoc::hint("facet.overrequest.count", "How many values more each shard is asked for."),
    ParamDoc::hint("facet.overrequest.ratio", "How many times more values each shard is asked for."),
];
