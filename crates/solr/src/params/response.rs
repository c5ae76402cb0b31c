//! What the response carries and how it is written.

use super::spec::{switch, text};
use super::{Kind, Param, ParamDoc};

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

pub const USE_PARAMS: Param<String> = Param::new(
    "useParams",
    text,
    None,
    "Sets of parameters, kept under these names below `/config/params`, that count where the request says nothing; of two the later.",
);

pub const CSV_HEADER: Param<bool> =
    Param::new("csv.header", switch, Some("true"), "Whether the first row of CSV names the columns.");

pub const CSV_NEWLINE: Param<String> =
    Param::new("csv.newline", text, Some("\n"), "What ends a row of CSV; a line feed by default.");

pub const CSV_NULL: Param<String> =
    Param::new("csv.null", text, Some(""), "What stands in CSV for a field that a document does not have.");

/// Those that `response/` reads itself.
const fn writer(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Text, default, about)
}

const fn flag(name: &'static str, default: &'static str, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Switch, Some(default), about)
}

/// As [`writer`], for what a field may have of its own.
const fn cell(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc { per_field: true, ..writer(name, default, about) }
}

pub const DOCS: &[ParamDoc] = &[
    FL.doc(),
    OMIT_HEADER.doc(),
    DEBUG_QUERY.doc(),
    DEBUG.doc(),
    EXPLAIN_STRUCTURED.doc(),
    EXPLAIN_OTHER.doc(),
    USE_PARAMS.doc(),
    writer(
        "wt",
        Some("json"),
        "The format of the response: `json`, `xml`, `javabin`, `csv`, `cbor`, `geojson`, `python`, `ruby`, `php`, `phps`.",
    )
    .one_of(&["json", "xml", "javabin", "csv", "cbor", "geojson", "python", "ruby", "php", "phps"]),
    flag("indent", "true", "Whether the response is laid out for reading."),
    flag("echoHandler", "false", "Whether the header names Solr's class of the handler."),
    writer("echoParams", Some("none"), "Parameters to repeat in the header: `none`, `explicit`, `all`.")
        .one_of(&["none", "explicit", "all"]),
    writer(
        "json.wrf",
        None,
        "A function whose argument the answer is, in JSON and the notations of scripts.",
    ),
    writer("geojson.field", None, "The field whose shapes the documents are with `wt=geojson`."),
    CSV_HEADER.doc(),
    CSV_NEWLINE.doc(),
    CSV_NULL.doc(),
    cell("csv.separator", Some(","), "Between the cells of a row of CSV; for one field, between its values."),
    cell(
        "csv.encapsulator",
        Some("\""),
        "Around cells of CSV that need it; for one field, around its values.",
    ),
    cell(
        "csv.escape",
        None,
        "Before characters of CSV that mean something, instead of quotes around the cell.",
    ),
    writer("csv.mv.separator", None, "Between the values of a cell of CSV; `csv.separator` by default."),
    writer("csv.mv.encapsulator", None, "Around values in a cell of CSV that need it."),
    writer("csv.mv.escape", Some("\\"), "Before characters that mean something in a cell of CSV."),
    writer(
        "json.nl",
        Some("flat"),
        "How lists of names and values look in JSON: `flat`, `map`, `arrarr`, `arrmap`, `arrntv`.",
    )
    .one_of(&["flat", "map", "arrarr", "arrmap", "arrntv"]),
];
