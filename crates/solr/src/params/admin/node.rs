//! What the paths below `/admin/info` read. Definitions only, each with its spelling, sentence, default and
//! parser (`spec.rs`); read by `crates/http/src/handlers/info.rs` and `crates/http/src/handlers/logging.rs`.

use crate::params::spec::text;
use crate::params::{NoDefault, Param, ParamDoc};

pub const PROPERTY: Param<String> = Param::new("name", text, NoDefault, "Just this one.");

pub const THRESHOLD: Param<String> =
    Param::new("threshold", text, NoDefault, "From which level on the last lines are kept.");
pub const SET: Param<String> = Param::new(
    "set",
    text,
    NoDefault,
    "Other levels: `part:LEVEL`, or `unset` for the usual one. May repeat.",
);
pub const SINCE: Param<String> =
    Param::new("since", text, NoDefault, "The last lines after this time, in milliseconds since 1970.");
/// Also taken as `threshold` there.
pub const LEVEL: Param<String> =
    Param::new("level", text, NoDefault, "In a body: from which level on the last lines are kept.");

pub const PROPERTIES: &[ParamDoc] = &[PROPERTY.doc()];
pub const LOGGING: &[ParamDoc] = &[THRESHOLD.doc(), SET.doc(), SINCE.doc()];
pub const MESSAGES: &[ParamDoc] = &[SINCE.doc(), LEVEL.doc()];
