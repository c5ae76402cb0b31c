//! What `/admin/ping` does beside pinging. Definitions only, each with its spelling, sentence, default and
//! parser (`spec.rs`); read by `crates/http/src/handlers/ping.rs`.

use crate::params::spec::text;
use crate::params::{Param, ParamDoc, Preset};

pub const ACTION: Preset<String> =
    Param::new("action", text, "ping", "`ping`, or about the file that says whether the core is in service.");

pub const DOCS: &[ParamDoc] = &[ACTION.doc().one_of(&["ping", "status", "enable", "disable"])];
