//! What to search: the query, its filters, how both are read, what `NOW` means.

use super::spec::{double, integer, text};
use super::{Param, ParamDoc};

macro_rules! text_param {
    ($constant:ident, $name:literal, $default:expr, $about:literal) => {
        pub const $constant: Param<String> =
            Param { name: $name, about: $about, default: $default, parse: text, per_field: false };
    };
}

text_param!(Q, "q", None, "The query. Without it nothing is searched.");
text_param!(DEF_TYPE, "defType", Some("lucene"), "The parser of `q` when its local parameters name none.");
text_param!(FQ, "fq", None, "A filter: restricts the hits, leaves scores alone. May repeat; all must match.");
text_param!(
    RQ,
    "rq",
    None,
    "A second opinion on the first hits: `{!rerank reRankQuery=$other reRankDocs=200 reRankWeight=2}`."
);
text_param!(DF, "df", None, "The field of words without a field.");
text_param!(Q_OP, "q.op", Some("OR"), "What stands between words without an operator: `OR` or `AND`.");
text_param!(
    SOW,
    "sow",
    Some("false"),
    "Whether each word is analysed alone rather than with its neighbours."
);
text_param!(
    SORT,
    "sort",
    Some("score desc"),
    "Keys `field asc|desc`, separated by commas; also functions, `score`, `_docid_`, `random_*`."
);
text_param!(NOW, "NOW", None, "What `NOW` means in dates: milliseconds since 1970. Else the server's clock.");
text_param!(TZ, "TZ", Some("UTC"), "The time zone in which date math rounds and steps.");

text_param!(
    SFIELD,
    "sfield",
    None,
    "The field of places that `geodist()`, `{!geofilt}` and `{!bbox}` measure to."
);
text_param!(PT, "pt", None, "The point that they measure from: `latitude,longitude`.");

pub const D: Param<f64> = Param {
    name: "d",
    about: "How far `{!geofilt}` and `{!bbox}` reach, in the unit of the field's type.",
    default: None,
    parse: double,
    per_field: false,
};

pub const MIN_EXACT_COUNT: Param<i32> = Param {
    name: "minExactCount",
    about: "Beyond how many hits `numFound` may be a lower bound (`numFoundExact` tells), where counting costs more than the page.",
    default: None,
    parse: integer,
    per_field: false,
};

pub const DOCS: &[ParamDoc] = &[
    Q.doc(),
    DEF_TYPE.doc(),
    FQ.doc(),
    RQ.doc(),
    DF.doc(),
    Q_OP.doc(),
    SOW.doc(),
    SORT.doc(),
    NOW.doc(),
    TZ.doc(),
    SFIELD.doc(),
    PT.doc(),
    D.doc(),
    MIN_EXACT_COUNT.doc(),
];
