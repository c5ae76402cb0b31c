//! What `/admin/segments` is to show besides. Definitions only; read by
//! `crates/http/src/handlers/segments.rs`.

use crate::params::spec::is_true;
use crate::params::{Param, ParamDoc, Preset};

/// Solr differs: it estimates what fields would take uncompressed (`COLSTATUS` with `rawSize`).
pub const FIELD_BYTES: Preset<bool> =
    Param::new("fieldBytes", is_true, "false", "With what each field takes of the files (not in Solr).");

pub const DOCS: &[ParamDoc] = &[FIELD_BYTES.doc()];
