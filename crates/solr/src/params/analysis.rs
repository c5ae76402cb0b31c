//! What `/analysis/field` is to show. Definitions only, each with its spelling, sentence, default and parser
//! (`spec.rs`); read by `crates/solr/src/field_analysis`, which serves `/analysis/document` too.

use super::spec::{switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const FIELD_TYPE: Param<String> =
    Param::new("analysis.fieldtype", text, NoDefault, "Field types, with commas between.");
pub const FIELD_NAME: Param<String> = Param::new(
    "analysis.fieldname",
    text,
    NoDefault,
    "Fields, with commas between; `df` where neither is named.",
);
pub const FIELD_VALUE: Param<String> =
    Param::new("analysis.fieldvalue", text, NoDefault, "The text as it would be indexed.");
pub const QUERY: Param<String> =
    Param::new("analysis.query", text, NoDefault, "The text as it would be searched for; else that of `q`.");
pub const SHOW_MATCH: Preset<bool> = Param::new(
    "analysis.showmatch",
    switch,
    "false",
    "Mark the tokens of the value that are among those of the query.",
);

pub const DOCS: &[ParamDoc] =
    &[FIELD_TYPE.doc(), FIELD_NAME.doc(), FIELD_VALUE.doc(), QUERY.doc(), SHOW_MATCH.doc()];
