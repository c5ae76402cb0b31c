//! What `/whynot` asks beside the parameters of a search.

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
