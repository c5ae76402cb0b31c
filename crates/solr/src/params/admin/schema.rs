//! What of the schema `/schema` and the paths below it show. Definitions only, each with its spelling,
//! sentence, default and parser (`spec.rs`); read by `crates/solr/src/schema/view.rs`.

use plan::Result;

use crate::params::spec::text;
use crate::params::{NoDefault, Param, ParamDoc, Preset};

pub const NAMES: Param<String> = Param::new("fl", text, NoDefault, "Just these, with commas between.");
pub const DEFAULTS: Preset<bool> =
    Param::new("showDefaults", begins_true, "false", "Tell all properties, not only those declared.");
pub const DYNAMIC: Preset<bool> =
    Param::new("includeDynamic", begins_true, "false", "With the dynamic fields.");
pub const SOURCES: Param<String> = Param::new("source.fl", text, NoDefault, "Just copies of these fields.");
pub const DESTINATIONS: Param<String> =
    Param::new("dest.fl", text, NoDefault, "Just copies into these fields.");

pub const DOCS: &[ParamDoc] = &[NAMES.doc(), DEFAULTS.doc(), DYNAMIC.doc()];
pub const COPIES: &[ParamDoc] = &[SOURCES.doc(), DESTINATIONS.doc()];

fn begins_true(value: &str) -> Result<bool> {
    Ok(value.starts_with("true"))
}
