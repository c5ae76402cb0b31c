//! What `/admin/cores` reads, whatever the action. Definitions only, each with its spelling, sentence,
//! default and parser (`spec.rs`); read by `crates/http/src/handlers/cores.rs` and those that do the work of
//! an action, and to know who may ask.

use crate::params::spec::{is_true, not_false, text};
use crate::params::{NoDefault, Param, ParamDoc, Preset};

const fn plain(name: &'static str, about: &'static str) -> Param<String> {
    Param::new(name, text, NoDefault, about)
}

const fn off(name: &'static str, about: &'static str) -> Preset<bool> {
    Param::new(name, is_true, "false", about)
}

pub const ACTION: Preset<String> = Param::new("action", text, "STATUS", "What to do.");
pub const CORE: Param<String> = plain("core", "The core that it is done to.");
pub const NAME: Param<String> = plain("name", "With `CREATE`: the name of the new core.");
/// Sent by name it counts more than the files of a core that was unloaded.
pub const CONFIGSET: Preset<String> =
    Param::new("configSet", text, "_default", "With `CREATE`: what it is made from.");
pub const OTHER: Param<String> = plain("other", "With `RENAME` the new name, with `SWAP` the other core.");
pub const INDEX_INFO: Preset<bool> =
    Param::new("indexInfo", not_false, "true", "With `STATUS`: with figures of the index.");
pub const DELETE_INDEX: Preset<bool> = off("deleteIndex", "With `UNLOAD`: the documents go too.");
pub const DELETE_DATA: Preset<bool> = off("deleteDataDir", "With `UNLOAD`: the documents go too.");
pub const DELETE_ALL: Preset<bool> = off("deleteInstanceDir", "With `UNLOAD`: all goes.");
pub const TARGETS: Param<String> =
    plain("targetCore", "With `SPLIT`: a core for a part of the documents. May repeat.");
pub const PATH: Param<String> = plain("path", "With `SPLIT`: folders for the parts.");
pub const SPLIT_KEY: Param<String> =
    plain("split.key", "With `SPLIT`: only documents whose ids begin with this key, as `tenant!`.");
pub const RANGES: Param<String> =
    plain("ranges", "With `SPLIT`: ranges of hashes between commas, one for each core; else equal ones.");
pub const SOURCES: Param<String> =
    plain("srcCore", "With `MERGEINDEXES`: a core whose documents are taken over. May repeat.");
pub const INDEX_DIR: Param<String> = plain("indexDir", "With `MERGEINDEXES`: folders of indexes.");
/// Collections have snapshots under the same name.
pub const SNAPSHOT: Param<String> = plain("commitName", "Of snapshots and backups: the snapshot.");
pub const ASYNC: Param<String> =
    plain("async", "Answer at once; `REQUESTSTATUS` tells by this name how it went.");
pub const REQUEST: Param<String> = plain("requestid", "With `REQUESTSTATUS` and `DELETESTATUS`: which one.");

/// Backups of a core are read as those of a collection are, see `collections`.
pub const DOCS: &[ParamDoc] = &[
    ACTION.doc().one_of(&[
        "STATUS",
        "CREATE",
        "RELOAD",
        "RENAME",
        "SWAP",
        "UNLOAD",
        "SPLIT",
        "MERGEINDEXES",
        "CREATESNAPSHOT",
        "LISTSNAPSHOTS",
        "DELETESNAPSHOT",
        "BACKUPCORE",
        "RESTORECORE",
        "REQUESTSTATUS",
    ]),
    CORE.doc(),
    NAME.doc(),
    CONFIGSET.doc(),
    OTHER.doc(),
    INDEX_INFO.doc(),
    DELETE_INDEX.doc(),
    DELETE_DATA.doc(),
    DELETE_ALL.doc(),
    TARGETS.doc(),
    PATH.refused(),
    SPLIT_KEY.doc(),
    RANGES.doc(),
    SOURCES.doc(),
    INDEX_DIR.refused(),
    SNAPSHOT.doc(),
    ASYNC.doc(),
    REQUEST.doc(),
];
