//! What the response carries and how it is written. Definitions only, each with its spelling, sentence,
//! default and parser (`spec.rs`); fields and debug output are read by `crates/solr/src/select`, forms by
//! `crates/solr/src/response`, and what holds for any handler by `crates/http/src/request/call.rs`.

use super::spec::{csv_character, lenient_switch, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const FL: Preset<String> = Param::new(
    "fl",
    text,
    "*",
    "Fields of each hit: names, globs, `*`, `score`, `label:field`, functions, `[docid]`, `[explain]`, `[shard]`, `[value v=…]`. May repeat.",
);

pub const OMIT_HEADER: Preset<bool> =
    Param::new("omitHeader", switch, "false", "Leave `responseHeader` out.");

pub const DEBUG_QUERY: Preset<bool> =
    Param::new("debugQuery", switch, "false", "All debug sections, as `debug=all`.");

pub const DEBUG: Param<String> = Param::new(
    "debug",
    text,
    NoDefault,
    "Debug sections: `query`, `timing`, `results`, `all` or `true`. May repeat.",
);

pub const EXPLAIN_STRUCTURED: Preset<bool> =
    Param::new("debug.explain.structured", switch, "false", "Explanations as trees, not as text.");

pub const EXPLAIN_OTHER: Param<String> = Param::new(
    "explainOther",
    text,
    NoDefault,
    "With `debug=results`: a query whose first ten documents are explained too, hits or not.",
);

pub const USE_PARAMS: Param<String> = Param::new(
    "useParams",
    text,
    NoDefault,
    "Sets of parameters, kept under these names below `/config/params`, that count where the request says nothing; of two the later.",
);

pub const CSV_HEADER: Preset<bool> =
    Param::new("csv.header", switch, "true", "Whether the first row of CSV names the columns.");

pub const CSV_NEWLINE: Preset<String> =
    Param::new("csv.newline", text, "\n", "What ends a row of CSV; a line feed by default.");

pub const CSV_NULL: Preset<String> =
    Param::new("csv.null", text, "", "What stands in CSV for a field that a document does not have.");

/// An update is answered in the format of its body where it does not name one.
pub const WT: Preset<String> = Param::new(
    "wt",
    text,
    "json",
    "The format of the response: `json`, `xml`, `javabin`, `csv`, `cbor`, `geojson`, `python`, `ruby`, `php`, `phps`.",
);
pub const INDENT: Preset<bool> = Param::new(
    "indent",
    |value| Ok(!matches!(value, "off" | "false")),
    "true",
    "Whether the response is laid out for reading.",
);
pub const ECHO_HANDLER: Preset<bool> = Param::new(
    "echoHandler",
    lenient_switch,
    "false",
    "Whether the header names Solr's class of the handler.",
);
pub const ECHO_PARAMS: Preset<String> =
    Param::new("echoParams", text, "none", "Parameters to repeat in the header: `none`, `explicit`, `all`.");
pub const JSON_WRAPPER: Param<String> = Param::new(
    "json.wrf",
    text,
    NoDefault,
    "A function whose argument the answer is, in JSON and the notations of scripts.",
);
pub const JSON_NAMED_LISTS: Preset<String> = Param::new(
    "json.nl",
    text,
    "flat",
    "How lists of names and values look in JSON: `flat`, `map`, `arrarr`, `arrmap`, `arrntv`.",
);
pub const GEOJSON_FIELD: Param<String> = Param::new(
    "geojson.field",
    text,
    NoDefault,
    "The field whose shapes the documents are with `wt=geojson`.",
);

pub const CSV_SEPARATOR: Preset<char> = Param::per_field(
    "csv.separator",
    |text| csv_character("separator", text),
    ",",
    "Between the cells of a row of CSV; for one field, between its values.",
);
/// By default `"`, but for tables with `csv.escape`.
pub const CSV_ENCAPSULATOR: Param<char> = Param::per_field(
    "csv.encapsulator",
    |text| csv_character("encapsulator", text),
    NoDefault,
    "Around cells of CSV that need it; for one field, around its values.",
);
pub const CSV_ESCAPE: Param<char> = Param::per_field(
    "csv.escape",
    |text| csv_character("escape", text),
    NoDefault,
    "Before characters of CSV that mean something, instead of quotes around the cell.",
);
pub const CSV_VALUE_SEPARATOR: Param<char> = Param::new(
    "csv.mv.separator",
    |text| csv_character("separator", text),
    NoDefault,
    "Between the values of a cell of CSV; `csv.separator` by default.",
);
pub const CSV_VALUE_ENCAPSULATOR: Param<char> = Param::new(
    "csv.mv.encapsulator",
    |text| csv_character("encapsulator", text),
    NoDefault,
    "Around values in a cell of CSV that need it.",
);
pub const CSV_VALUE_ESCAPE: Preset<char> = Param::new(
    "csv.mv.escape",
    |text| csv_character("escape", text),
    "\\",
    "Before characters that mean something in a cell of CSV.",
);

const FORMATS: &[&str] =
    &["json", "xml", "javabin", "csv", "cbor", "geojson", "python", "ruby", "php", "phps"];

pub const DOCS: &[ParamDoc] = &[
    FL.doc(),
    OMIT_HEADER.doc(),
    DEBUG_QUERY.doc(),
    DEBUG.doc(),
    EXPLAIN_STRUCTURED.doc(),
    EXPLAIN_OTHER.doc(),
    USE_PARAMS.doc(),
    WT.doc().one_of(FORMATS),
    INDENT.doc(),
    ECHO_HANDLER.doc(),
    ECHO_PARAMS.doc().one_of(&["none", "explicit", "all"]),
    JSON_WRAPPER.doc(),
    GEOJSON_FIELD.doc(),
    CSV_HEADER.doc(),
    CSV_NEWLINE.doc(),
    CSV_NULL.doc(),
    CSV_SEPARATOR.doc(),
    ParamDoc { default: Some("\""), ..CSV_ENCAPSULATOR.doc() },
    CSV_ESCAPE.doc(),
    CSV_VALUE_SEPARATOR.doc(),
    CSV_VALUE_ENCAPSULATOR.doc(),
    CSV_VALUE_ESCAPE.doc(),
    JSON_NAMED_LISTS.doc().one_of(&["flat", "map", "arrarr", "arrmap", "arrntv"]),
];
