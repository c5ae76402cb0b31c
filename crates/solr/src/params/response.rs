//! What the response carries and how it is written.

use super::spec::{switch, text};
use super::{Param, ParamDoc, Support};

pub const FL: Param<String> = Param {
    name: "fl",
    about: "Fields of each hit: names, globs, `*`, `score`, `label:field`, functions, `[docid]`, `[explain]`, `[shard]`, `[value v=…]`. May repeat.",
    default: Some("*"),
    parse: text,
    per_field: false,
};

pub const OMIT_HEADER: Param<bool> = Param {
    name: "omitHeader",
    about: "Leave `responseHeader` out.",
    default: Some("false"),
    parse: switch,
    per_field: false,
};

pub const DEBUG_QUERY: Param<bool> = Param {
    name: "debugQuery",
    about: "All debug sections, as `debug=all`.",
    default: Some("false"),
    parse: switch,
    per_field: false,
};

pub const DEBUG: Param<String> = Param {
    name: "debug",
    about: "Debug sections: `query`, `timing`, `results`, `all` or `true`. May repeat.",
    default: None,
    parse: text,
    per_field: false,
};

pub const EXPLAIN_STRUCTURED: Param<bool> = Param {
    name: "debug.explain.structured",
    about: "Explanations as trees, not as text.",
    default: Some("false"),
    parse: switch,
    per_field: false,
};

pub const EXPLAIN_OTHER: Param<String> = Param {
    name: "explainOther",
    about: "With `debug=results`: a query whose first ten documents are explained too, hits or not.",
    default: None,
    parse: text,
    per_field: false,
};

/// Those that `response/` reads itself.
const fn writer(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc { name, about, default, per_field: false, support: Support::Yes }
}

pub const DOCS: &[ParamDoc] = &[
    FL.doc(),
    OMIT_HEADER.doc(),
    DEBUG_QUERY.doc(),
    DEBUG.doc(),
    EXPLAIN_STRUCTURED.doc(),
    EXPLAIN_OTHER.doc(),
    writer("wt", Some("json"), "The format of the response."),
    writer("indent", Some("true"), "Whether the response is laid out for reading."),
    writer("echoHandler", Some("false"), "Whether the header names Solr's class of the handler."),
    writer("echoParams", Some("none"), "Parameters to repeat in the header: `none`, `explicit`, `all`."),
    writer(
        "json.nl",
        Some("flat"),
        "How lists of names and values look in JSON: `flat`, `map`, `arrarr`, `arrmap`, `arrntv`.",
    ),
];
