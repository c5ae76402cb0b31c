//! What `/analysis/field` is to show.

use super::spec::{switch, text};
use super::{Param, ParamDoc};

pub const FIELD_TYPE: Param<String> =
    Param::new("analysis.fieldtype", text, None, "Field types, with commas between.");
pub const FIELD_NAME: Param<String> =
    Param::new("analysis.fieldname", text, None, "Fields, with commas between; `df` where neither is named.");
pub const FIELD_VALUE: Param<String> =
    Param::new("analysis.fieldvalue", text, None, "The text as it would be indexed.");
pub const QUERY: Param<String> =
    Param::new("analysis.query", text, None, "The text as it would be searched for; else that of `q`.");
pub const SHOW_MATCH: Param<bool> = Param::new(
    "analysis.showmatch",
    switch,
    Some("false"),
    "Mark the tokens of the value that are among those of the query.",
);

pub const DOCS: &[ParamDoc] =
    &[FIELD_TYPE.doc(), FIELD_NAME.doc(), FIELD_VALUE.doc(), QUERY.doc(), SHOW_MATCH.doc()];
