//! What `/get` reads beside `fq` and `fl`: documents by id, or the last versions. Definitions only, each with
//! its spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/real_time_get.rs`. Those
//! that servers of a cloud ask of one another (`getUpdates` and its kin) are named, to be refused.

use crate::params::spec::{integer, is_true, long, text};
use crate::params::{NoDefault, Param, ParamDoc, Preset, query, response};

pub const ID: Param<String> = Param::new("id", text, NoDefault, "The id of a document. May repeat.");
pub const IDS: Param<String> =
    Param::new("ids", text, NoDefault, "Several, with commas between. May repeat.");
pub const VERSIONS: Param<i32> = Param::new(
    "getVersions",
    integer,
    NoDefault,
    "List the versions of so many updates, the last ones, instead.",
);
pub const FINGERPRINT: Preset<bool> = Param::new(
    "fingerprint",
    is_true,
    "false",
    "With `getVersions`: what `getFingerprint` tells, of all versions.",
);

const fn of_nodes(name: &'static str) -> Param<String> {
    Param::new(name, text, NoDefault, "What Solr's nodes ask of each other when they compare their logs.")
}

pub const UPDATES: Param<String> = of_nodes("getUpdates");
pub const INDEX_FINGERPRINT: Param<i64> = Param::new(
    "getFingerprint",
    long,
    NoDefault,
    "Tell the versions of all documents up to this one in one number (`versionsHash`): with `distrib=false`, replicas whose numbers are equal have the same documents.",
);
pub const INPUT_DOCUMENT: Param<String> = of_nodes("getInputDocument");
pub const VERSION_RANGES: Param<String> = of_nodes("checkCanHandleVersionRanges");

pub const DOCS: &[ParamDoc] = &[
    ID.doc(),
    IDS.doc(),
    ParamDoc { about: "Only documents that match. May repeat.", ..query::FQ.doc() },
    ParamDoc { about: "Which fields to show. May repeat.", ..response::FL.doc() },
    VERSIONS.doc(),
    FINGERPRINT.doc(),
    UPDATES.refused(),
    INDEX_FINGERPRINT.doc(),
    INPUT_DOCUMENT.refused(),
    VERSION_RANGES.refused(),
];
