//! What `/update` reads beside its body: defaults for the body's commands, what ends the request, and how CSV and JSON of any
//! shape are taken apart. `update/` gives those without a reader here their meaning.

use super::spec::text;
use super::{Kind, Param, ParamDoc};
use crate::update::{parse_bool, version};

const fn switch(name: &'static str, default: &'static str, about: &'static str) -> Param<bool> {
    Param::new(name, parse_bool, Some(default), about)
}

pub const COMMIT: Param<bool> =
    switch("commit", "false", "End with a commit: what was sent is on disk, and searches see it.");
pub const SOFT_COMMIT: Param<bool> =
    switch("softCommit", "false", "End with a commit after which searches see what was sent.");
pub const OPTIMIZE: Param<bool> = switch("optimize", "false", "End with a commit that merges segments.");
pub const PREPARE_COMMIT: Param<bool> =
    switch("prepareCommit", "false", "The first half of a commit: on disk, not yet seen.");
pub const ROLLBACK: Param<bool> =
    switch("rollback", "false", "Take back what was sent since the last commit.");
pub const OVERWRITE: Param<bool> =
    switch("overwrite", "true", "Whether a document replaces one of the same id.");
pub const VERSION: Param<i64> = Param::new(
    "_version_",
    version,
    None,
    "The version that documents must have to be changed; 1: any, below 0: none may be there.",
);
pub const FAIL_ON_CONFLICTS: Param<bool> = switch(
    "failOnVersionConflicts",
    "true",
    "Whether a document of another version ends the request, or is passed over.",
);
pub const VERSIONS: Param<bool> = switch("versions", "false", "List ids with their new versions.");
pub const IN_PLACE: Param<bool> =
    switch("update.partial.requireInPlace", "false", "Refuse edits that would change more than columns.");
pub const CHAIN: Param<String> =
    Param::new("update.chain", text, None, "The chain of steps that documents pass.");

const fn whole(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Whole { min: None, long: false }, default, about)
}

const fn plain(name: &'static str, default: Option<&'static str>, about: &'static str) -> ParamDoc {
    ParamDoc::plain(name, Kind::Text, default, about)
}

/// As [`plain`], for what a column may have of its own.
const fn column(name: &'static str, kind: Kind, about: &'static str) -> ParamDoc {
    ParamDoc { per_field: true, ..ParamDoc::plain(name, kind, None, about) }
}

pub const DOCS: &[ParamDoc] = &[
    COMMIT.doc(),
    SOFT_COMMIT.doc(),
    OPTIMIZE.doc(),
    PREPARE_COMMIT.doc(),
    ROLLBACK.doc(),
    switch("openSearcher", "true", "With `commit`: whether searches see what was sent.").doc(),
    switch("waitSearcher", "true", "With `commit`: taken as advice; the answer always waits.").doc(),
    switch("expungeDeletes", "false", "With `commit`: merge segments with many deleted documents.").doc(),
    whole("maxSegments", Some("1"), "With `optimize`: how many segments may stay."),
    whole("commitWithin", None, "Searches see what was sent after so many milliseconds at the latest."),
    OVERWRITE.doc(),
    VERSION.doc(),
    FAIL_ON_CONFLICTS.doc(),
    VERSIONS.doc(),
    IN_PLACE.doc(),
    CHAIN.doc(),
    plain("processor", None, "Steps by name, with commas between, before those of the chain. May repeat."),
    plain("post-processor", None, "Steps by name, after documents are merged with their edits. May repeat."),
    whole("maxErrors", None, "How many documents may fail where a step tolerates that; -1: any number."),
    switch("json.command", "true", "Whether JSON is commands, or documents of any shape.").doc(),
    plain(
        "split",
        Some("/"),
        "Where the documents of JSON of any shape begin: paths, with `|` between. In CSV, \
        of a column: whether cells hold several values.",
    ),
    plain("f", None, "Which paths of JSON become which fields: `field:/path`. May repeat."),
    switch("echo", "false", "Show the documents read from JSON of any shape, add none.").doc(),
    switch("header", "true", "Whether the first row of CSV names the fields.").doc(),
    plain("fieldnames", None, "The fields of CSV, with commas between."),
    plain("skip", None, "Columns of CSV that are left out, with commas between."),
    whole("skipLines", Some("0"), "Lines of CSV to pass over at the start."),
    plain("rowid", None, "The field that gets the number of the line."),
    whole("rowidOffset", Some("0"), "What is added to that number."),
    column("separator", Kind::Text, "What stands between cells of CSV; of a column, between its values."),
    column("encapsulator", Kind::Text, "What stands around cells of CSV that need it."),
    column("escape", Kind::Text, "What stands before characters that are to mean themselves."),
    column("trim", Kind::Switch, "Whether blanks around the cells go."),
    column("keepEmpty", Kind::Switch, "Whether empty cells are values."),
    column("map", Kind::Text, "Values and what they become: `from:to`. May repeat."),
    plain("literal.<field>", None, "A value that every document of CSV gets in this field."),
    plain("uuid.fieldName", None, "The field that a step which makes ids fills."),
    plain(
        "template.field",
        None,
        "What a step of templates fills in: `field:text with {field}`. May repeat.",
    ),
];
