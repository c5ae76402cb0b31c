//! What to search: the query, its filters, how both are read, what `NOW` means. Definitions only, each with
//! its spelling, sentence, default and parser (`spec.rs`); read by the parsers of queries and functions, by
//! `crates/solr/src/select`, and by handlers that take a query without being a search.

use super::spec::{double, integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

macro_rules! text_param {
    ($constant:ident: $kind:ident, $name:literal, $default:expr, $about:literal) => {
        pub const $constant: $kind<String> = Param::new($name, text, $default, $about);
    };
}

text_param!(Q: Param, "q", NoDefault, "The query. Without it nothing is searched.");
text_param!(DEF_TYPE: Preset, "defType", "lucene", "The parser of `q` when its local parameters name none.");
text_param!(FQ: Param, "fq", NoDefault, "A filter: restricts the hits, leaves scores alone. May repeat; all must match.");
text_param!(
    RQ: Param,
    "rq",
    NoDefault,
    "A second opinion on the first hits: `{!rerank reRankQuery=$other reRankDocs=200 reRankWeight=2}`."
);
text_param!(DF: Param, "df", NoDefault, "The field of words without a field.");
text_param!(Q_OP: Preset, "q.op", "OR", "What stands between words without an operator: `OR` or `AND`.");
text_param!(
    Q_OPERATORS: Param,
    "q.operators",
    NoDefault,
    "Which marks `{!simple}` heeds: `AND`, `OR`, `NOT`, `PREFIX`, `PHRASE`, `PRECEDENCE`, `ESCAPE`, `WHITESPACE`, `FUZZY`, `NEAR`, with commas between. Else all."
);

/// What is no switch is off to `lucene`, and an error to `edismax`, as in Solr.
pub const SOW: Preset<bool> = Param::new(
    "sow",
    switch,
    "false",
    "Whether each word is analysed alone rather than with its neighbours.",
);
text_param!(
    SORT: Preset,
    "sort",
    "score desc",
    "Keys `field asc|desc`, separated by commas; also functions, `score`, `_docid_`, `random_*`."
);
text_param!(NOW: Param, "NOW", NoDefault, "What `NOW` means in dates: milliseconds since 1970. Else the server's clock.");
text_param!(TZ: Preset, "TZ", "UTC", "The time zone in which date math rounds and steps.");

text_param!(
    SFIELD: Param,
    "sfield",
    NoDefault,
    "The field of places that `geodist()`, `{!geofilt}` and `{!bbox}` measure to."
);
text_param!(PT: Param, "pt", NoDefault, "The point that they measure from: `latitude,longitude`.");

pub const D: Param<f64> = Param::new(
    "d",
    double,
    NoDefault,
    "How far `{!geofilt}` and `{!bbox}` reach, in the unit of the field's type.",
);

pub const SPHERE_RADIUS: Param<f64> = Param::new(
    "sphere_radius",
    double,
    NoDefault,
    "The radius of the sphere on which they reach so far, in the unit of `d`; that of the earth without it.",
);

pub const MIN_EXACT_COUNT: Param<i32> = Param::new(
    "minExactCount",
    integer,
    NoDefault,
    "Beyond how many hits `numFound` may be a lower bound (`numFoundExact` tells), where counting costs more than the page.",
);

/// What cannot be read is as good as nothing.
pub const BASIC_QUERIES_MAX: Preset<i32> = Param::new(
    "maxBasicQueries",
    integer,
    "1000",
    "How many words the wildcards of a `{!surround}` query may stand for.",
);

pub const DOCS: &[ParamDoc] = &[
    Q.doc(),
    DEF_TYPE.doc(),
    FQ.doc(),
    RQ.doc(),
    DF.doc(),
    Q_OP.doc(),
    Q_OPERATORS.doc(),
    SOW.doc(),
    SORT.doc(),
    NOW.doc(),
    TZ.doc(),
    SFIELD.doc(),
    PT.doc(),
    D.doc(),
    SPHERE_RADIUS.doc(),
    MIN_EXACT_COUNT.doc(),
    BASIC_QUERIES_MAX.doc(),
];
