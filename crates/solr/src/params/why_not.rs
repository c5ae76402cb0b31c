//! What `/whynot` asks beside the parameters of a search. Definitions only, each with its spelling, sentence,
//! default and parser (`spec.rs`); read by `crates/http/src/handlers/why_not.rs`.

use super::spec::text;
use super::{NoDefault, Param, ParamDoc, Preset};

pub const ID: Param<String> = Param::new(
    "id",
    text,
    NoDefault,
    "The document in question, at `/whynot`; the documents to fetch, at `/get`.",
);
pub const HANDLER: Preset<String> =
    Param::new("qt", text, "/select", "The handler whose presets `/whynot` searches with.");

pub const DOCS: &[ParamDoc] = &[ID.doc(), HANDLER.doc()];
