//! The terms of the hits (`tv.*`), at handlers that have a `TermVectorComponent`.

use super::spec::{integer, switch, text};
use super::{Param, ParamDoc};

pub const VECTORS: Param<bool> =
    Param::new("tv", switch, Some("false"), "Whether to show the terms of the hits' fields.");
pub const FIELDS: Param<String> =
    Param::new("tv.fl", text, None, "The fields, which must keep vectors; else those of `fl`. May repeat.");
pub const DOC_IDS: Param<i32> = Param::new(
    "tv.docIds",
    integer,
    None,
    "Of this document, by its number, in place of the hits. May repeat.",
);
pub const ALL: Param<bool> = Param::per_field("tv.all", switch, None, "Tell all there is of each term.");
pub const FREQUENCY: Param<bool> =
    Param::per_field("tv.tf", switch, None, "Tell how often the document has each term.");
pub const DOCUMENTS: Param<bool> =
    Param::per_field("tv.df", switch, None, "Tell how many documents have each term.");
pub const WEIGHT: Param<bool> =
    Param::per_field("tv.tf_idf", switch, None, "Tell the one divided by the other.");
pub const POSITIONS: Param<bool> =
    Param::per_field("tv.positions", switch, None, "Tell where each term stands among the others.");
pub const OFFSETS: Param<bool> =
    Param::per_field("tv.offsets", switch, None, "Tell where each term stands in the text.");
pub const PAYLOADS: Param<bool> =
    Param::per_field("tv.payloads", switch, None, "Tell what is stored with the terms, in Base64.");

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
