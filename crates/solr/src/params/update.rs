//! What `/update` reads beside its body: defaults for the body's commands, what ends the request, and how CSV
//! and JSON of any shape are taken apart. `update/` gives those without a reader here their meaning.
//! Definitions only: the name, what is read, the default, and the sentence of the reference
//! (`docs/parameters.md`).

use plan::Result;

use super::spec::{
    csv_character, is_true, not_false, parse_bool, text, trimmed_int, trimmed_long, trimmed_size,
};
use super::{Family, NoDefault, Param, ParamDoc, Preset};

const fn switch(name: &'static str, default: &'static str, about: &'static str) -> Preset<bool> {
    Param::new(name, parse_bool, default, about)
}

const fn plain(name: &'static str, about: &'static str) -> Param<String> {
    Param::new(name, text, NoDefault, about)
}

/// As [`switch`], for what a column may have of its own.
const fn column_switch(name: &'static str, about: &'static str) -> Preset<bool> {
    Param::per_field(name, parse_bool, "false", about)
}

pub const COMMIT: Preset<bool> =
    switch("commit", "false", "End with a commit: what was sent is on disk, and searches see it.");
pub const SOFT_COMMIT: Preset<bool> =
    switch("softCommit", "false", "End with a commit after which searches see what was sent.");
pub const OPTIMIZE: Preset<bool> = switch("optimize", "false", "End with a commit that merges segments.");
pub const PREPARE_COMMIT: Preset<bool> =
    switch("prepareCommit", "false", "The first half of a commit: on disk, not yet seen.");
pub const ROLLBACK: Preset<bool> =
    switch("rollback", "false", "Take back what was sent since the last commit.");
pub const OPEN_SEARCHER: Preset<bool> =
    switch("openSearcher", "true", "With `commit`: whether searches see what was sent.");
pub const WAIT_SEARCHER: Preset<bool> =
    switch("waitSearcher", "true", "With `commit`: taken as advice; the answer always waits.");
pub const EXPUNGE_DELETES: Preset<bool> =
    switch("expungeDeletes", "false", "With `commit`: merge segments with many deleted documents.");
pub const MAX_SEGMENTS: Preset<i32> =
    Param::new("maxSegments", trimmed_int, "1", "With `optimize`: how many segments may stay.");
/// `CommitWithin` merges it with what commands and documents say themselves.
pub const COMMIT_WITHIN: Param<Option<i64>> = Param::new(
    "commitWithin",
    milliseconds,
    NoDefault,
    "Searches see what was sent after so many milliseconds at the latest.",
);
pub const OVERWRITE: Preset<bool> =
    switch("overwrite", "true", "Whether a document replaces one of the same id.");
pub const VERSION: Param<i64> = Param::new(
    "_version_",
    trimmed_long,
    NoDefault,
    "The version that documents must have to be changed; 1: any, below 0: none may be there.",
);
pub const FAIL_ON_CONFLICTS: Preset<bool> = switch(
    "failOnVersionConflicts",
    "true",
    "Whether a document of another version ends the request, or is passed over.",
);
pub const VERSIONS: Preset<bool> = switch("versions", "false", "List ids with their new versions.");
pub const IN_PLACE: Preset<bool> =
    switch("update.partial.requireInPlace", "false", "Refuse edits that would change more than columns.");

pub const CHAIN: Param<String> = plain("update.chain", "The chain of steps that documents pass.");
pub const PROCESSOR: Param<String> =
    plain("processor", "Steps by name, with commas between, before those of the chain. May repeat.");
pub const POST_PROCESSOR: Param<String> =
    plain("post-processor", "Steps by name, after documents are merged with their edits. May repeat.");
pub const ERRORS_MAX: Param<i64> = Param::new(
    "maxErrors",
    trimmed_long,
    NoDefault,
    "How many documents may fail where a step tolerates that; -1: any number.",
);
pub const UUID_FIELD: Param<String> = plain("uuid.fieldName", "The field that a step which makes ids fills.");
pub const TEMPLATE_FIELD: Param<String> =
    plain("template.field", "What a step of templates fills in: `field:text with {field}`. May repeat.");
pub const SKIP_INSERT: Param<bool> = Param::new(
    "skipInsertIfExists",
    parse_bool,
    NoDefault,
    "Whether a step leaves out new documents whose id is there; else the step's own setting.",
);
pub const SKIP_UPDATE: Param<bool> = Param::new(
    "skipUpdateIfMissing",
    parse_bool,
    NoDefault,
    "Whether a step leaves out edits of documents that are not there; else the step's own setting.",
);
pub const ATOMIC: Family = Family {
    name: "atomic.<field>",
    about: "What a step makes of this field's values in every document: an edit by this modifier, such as `set`.",
};

/// Only the word `false` asks for documents.
pub const JSON_COMMAND: Preset<bool> =
    Param::new("json.command", not_false, "true", "Whether JSON is commands, or documents of any shape.");
pub const SPLIT: Preset<String> = Param::new(
    "split",
    text,
    "/",
    "Where the documents of JSON of any shape begin: paths, with `|` between. In CSV, of a column: whether cells hold \
     several values.",
);
pub const PATHS: Param<String> =
    plain("f", "Which paths of JSON become which fields: `field:/path`. May repeat.");
/// Only the word `true` asks for it.
pub const ECHO: Preset<bool> =
    Param::new("echo", is_true, "false", "Show the documents read from JSON of any shape, add none.");
/// Anything but a switch that is off is refused.
pub const SOURCE_FIELD: Param<bool> =
    Param::new("srcField", parse_bool, NoDefault, "A field for the whole JSON of a document.");
pub const KEY_ONLY: Param<bool> =
    Param::new("mapUniqueKeyOnly", parse_bool, NoDefault, "Only the id goes into a field of its own.");

pub const HEADER: Param<bool> = Param::new(
    "header",
    parse_bool,
    NoDefault,
    "Whether the first row of CSV names the fields; else it does unless `fieldnames` is sent.",
);
pub const FIELD_NAMES: Param<String> = plain("fieldnames", "The fields of CSV, with commas between.");
pub const SKIP: Param<String> = plain("skip", "Columns of CSV that are left out, with commas between.");
pub const SKIP_LINES: Preset<usize> =
    Param::new("skipLines", trimmed_size, "0", "Lines of CSV to pass over at the start.");
pub const ROW_ID: Param<String> = plain("rowid", "The field that gets the number of the line.");
pub const ROW_ID_OFFSET: Preset<usize> =
    Param::new("rowidOffset", trimmed_size, "0", "What is added to that number.");
pub const SEPARATOR: Preset<char> = Param::per_field(
    "separator",
    |text| csv_character("separator", text),
    ",",
    "What stands between cells of CSV; of a column, between its values.",
);
pub const ENCAPSULATOR: Param<char> = Param::per_field(
    "encapsulator",
    |text| csv_character("encapsulator", text),
    NoDefault,
    "What stands around cells of CSV that need it.",
);
pub const ESCAPE: Param<char> = Param::per_field(
    "escape",
    |text| csv_character("escape", text),
    NoDefault,
    "What stands before characters that are to mean themselves.",
);
/// The same name as [`SPLIT`], which speaks for both in the reference.
pub const COLUMN_SPLIT: Preset<bool> = column_switch("split", "Whether cells of CSV hold several values.");
pub const TRIM: Preset<bool> = column_switch("trim", "Whether blanks around the cells go.");
pub const KEEP_EMPTY: Preset<bool> = column_switch("keepEmpty", "Whether empty cells are values.");
pub const MAP: Param<String> =
    Param::per_field("map", text, NoDefault, "Values and what they become: `from:to`. May repeat.");
pub const LITERAL: Family =
    Family { name: "literal.<field>", about: "A value that every document of CSV gets in this field." };

pub const DOCS: &[ParamDoc] = &[
    COMMIT.doc(),
    SOFT_COMMIT.doc(),
    OPTIMIZE.doc(),
    PREPARE_COMMIT.doc(),
    ROLLBACK.doc(),
    OPEN_SEARCHER.doc(),
    WAIT_SEARCHER.doc(),
    EXPUNGE_DELETES.doc(),
    MAX_SEGMENTS.doc(),
    COMMIT_WITHIN.doc(),
    OVERWRITE.doc(),
    VERSION.doc(),
    FAIL_ON_CONFLICTS.doc(),
    VERSIONS.doc(),
    IN_PLACE.doc(),
    CHAIN.doc(),
    PROCESSOR.doc(),
    POST_PROCESSOR.doc(),
    ERRORS_MAX.doc(),
    JSON_COMMAND.doc(),
    SPLIT.doc(),
    PATHS.doc(),
    ECHO.doc(),
    SOURCE_FIELD.refused(),
    KEY_ONLY.refused(),
    HEADER.doc(),
    FIELD_NAMES.doc(),
    SKIP.doc(),
    SKIP_LINES.doc(),
    ROW_ID.doc(),
    ROW_ID_OFFSET.doc(),
    SEPARATOR.doc(),
    ENCAPSULATOR.doc(),
    ESCAPE.doc(),
    TRIM.doc(),
    KEEP_EMPTY.doc(),
    MAP.doc(),
    LITERAL.doc(),
    UUID_FIELD.doc(),
    TEMPLATE_FIELD.doc(),
    SKIP_INSERT.doc(),
    SKIP_UPDATE.doc(),
    ATOMIC.doc(),
];

/// Empty says nothing.
fn milliseconds(value: &str) -> Result<Option<i64>> {
    if value.is_empty() { Ok(None) } else { trimmed_int(value).map(|number| Some(i64::from(number))) }
}
