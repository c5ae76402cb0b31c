//! Statistics of fields over all hits (Solr's stats component). Definitions only, each with its spelling,
//! sentence, default and parser (`spec.rs`); read by `crates/solr/src/facet/stats.rs`, which makes facets of
//! them.

use super::spec::{switch, text};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const STATS: Preset<bool> = Param::new("stats", switch, "false", "Whether to compute statistics at all.");
pub const FIELD: Param<String> = Param::new(
    "stats.field",
    text,
    NoDefault,
    "The field; local parameters such as `{!min=true percentiles='50,99' key=… ex=…}` choose among the statistics. May repeat.",
);
pub const FACET: Param<String> = Param::per_field(
    "stats.facet",
    text,
    NoDefault,
    "Also for the hits of each value of this field. May repeat.",
);
pub const DISTINCT: Preset<bool> =
    Param::per_field("stats.calcdistinct", switch, "false", "Also the distinct values and their number.");

pub const DOCS: &[ParamDoc] = &[STATS.doc(), FIELD.doc(), FACET.doc(), DISTINCT.doc()];
