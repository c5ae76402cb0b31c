//! What `/whynot` asks beside the parameters of a search.

use super::spec::text;
use super::{Param, ParamDoc};

pub const ID: Param<String> = Param::new(
    "id",
    text,
    None,
    "The document in question, at `/whynot`; the documents to fetch, at `/get`.",
);
pub const HANDLER: Param<String> =
    Param::new("qt", text, Some("/select"), "The handler whose presets `/whynot` searches with.");

pub const DOCS: &[ParamDoc] = &[ID.doc(), HANDLER.doc()];
