//! What of a section `/config/<section>` shows. Definitions only, each with its spelling, sentence, default
//! and parser (`spec.rs`); read by `crates/solr/src/admin/config_view.rs`.

use crate::params::spec::{is_true, text};
use crate::params::{NoDefault, Param, ParamDoc, Preset};

pub const COMPONENT: Param<String> =
    Param::new("componentName", text, NoDefault, "The part of the section that has this name.");
pub const EXPAND: Preset<bool> =
    Param::new("expandParams", is_true, "false", "With the sets of parameters that handlers use.");

pub const DOCS: &[ParamDoc] = &[COMPONENT.doc(), EXPAND.doc()];
