//! The terms of the hits (`tv.*`), at handlers that have a `TermVectorComponent`. Definitions only, each with
//! its spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/vectors.rs`; some may be
//! given for a field.

use super::spec::{integer, switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const VECTORS: Preset<bool> =
    Param::new("tv", switch, "false", "Whether to show the terms of the hits' fields.");
pub const FIELDS: Param<String> = Param::new(
    "tv.fl",
    text,
    NoDefault,
    "The fields, which must keep vectors; else those of `fl`. May repeat.",
);
pub const DOC_IDS: Param<i32> = Param::new(
    "tv.docIds",
    integer,
    NoDefault,
    "Of this document, by its number, in place of the hits. May repeat.",
);
pub const ALL: Preset<bool> = Param::per_field("tv.all", switch, "false", "Tell all there is of each term.");
pub const FREQUENCY: Preset<bool> =
    Param::per_field("tv.tf", switch, "false", "Tell how often the document has each term.");
pub const DOCUMENTS: Preset<bool> =
    Param::per_field("tv.df", switch, "false", "Tell how many documents have each term.");
pub const WEIGHT: Preset<bool> =
    Param::per_field("tv.tf_idf", switch, "false", "Tell the one divided by the other.");
pub const POSITIONS: Preset<bool> =
    Param::per_field("tv.positions", switch, "false", "Tell where each term stands among the others.");
pub const OFFSETS: Preset<bool> =
    Param::per_field("tv.offsets", switch, "false", "Tell where each term stands in the text.");
pub const PAYLOADS: Preset<bool> =
    Param::per_field("tv.payloads", switch, "false", "Tell what is stored with the terms, in Base64.");

pub const DOCS: &[ParamDoc] = &[
    VECTORS.doc(),
    FIELDS.doc(),
    DOC_IDS.doc(),
    ALL.doc(),
    FREQUENCY.doc(),
    DOCUMENTS.doc(),
    WEIGHT.doc(),
    POSITIONS.doc(),
    OFFSETS.doc(),
    PAYLOADS.doc(),
];
