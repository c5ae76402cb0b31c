//! What `/admin/ping` does beside pinging.

use crate::params::spec::text;
use crate::params::{Param, ParamDoc, Preset};

pub const ACTION: Preset<String> =
    Param::new("action", text, "ping", "`ping`, or about the file that says whether the core is in service.");

pub const DOCS: &[ParamDoc] = &[ACTION.doc().one_of(&["ping", "status", "enable", "disable"])];
