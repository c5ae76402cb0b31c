//! Which file of the configuration `/admin/file` hands out, and as what. Definitions only, each with its
//! spelling, sentence, default and parser (`spec.rs`); read by `crates/http/src/handlers/files.rs`.

use crate::params::spec::text;
use crate::params::{NoDefault, Param, ParamDoc};

pub const FILE: Param<String> = Param::new("file", text, NoDefault, "Which one.");
pub const CONTENT_TYPE: Param<String> =
    Param::new("contentType", text, NoDefault, "As what the file is handed out; else as text or XML.");

pub const DOCS: &[ParamDoc] = &[FILE.doc(), CONTENT_TYPE.doc()];
