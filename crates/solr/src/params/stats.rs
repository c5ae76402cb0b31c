//! Statistics of fields over all hits (Solr's stats component).

use super::spec::{switch, text};
use super::{Param, ParamDoc};

pub const STATS: Param<bool> = Param::new("stats", switch, None, "Whether to compute statistics at all.");
pub const FIELD: Param<String> = Param::new(
    "stats.field",
    text,
    None,
    "The field; local parameters such as `{!min=true percentiles='50,99' key=… ex=…}` choose among the statistics. May repeat.",
);
pub const FACET: Param<String> = Param {
    per_field: true,
    ..Param::new("stats.facet", text, None, "Also for the hits of each value of this field. May repeat.")
};
pub const DISTINCT: Param<bool> = Param {
    per_field: true,
    ..Param::new("stats.calcdistinct", switch, None, "Also the distinct values and their number.")
};

pub const DOCS: &[ParamDoc] = &[STATS.doc(), FIELD.doc(), FACET.doc(), DISTINCT.doc()];
