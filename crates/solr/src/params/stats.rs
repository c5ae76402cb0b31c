//! Statistics of fields over all hits (Solr's stats component).

use plan::Result;

use super::spec::{switch, text};
use super::{Param, ParamDoc};

const fn one<T>(name: &'static str, parse: fn(&str) -> Result<T>, about: &'static str) -> Param<T> {
    Param { name, about, default: None, parse, per_field: false }
}

pub const STATS: Param<bool> = one("stats", switch, "Whether to compute statistics at all.");
pub const FIELD: Param<String> = one(
    "stats.field",
    text,
    "The field; local parameters such as `{!min=true percentiles='50,99' key=… ex=…}` choose among the statistics. May repeat.",
);
pub const FACET: Param<String> = Param {
    per_field: true,
    ..one("stats.facet", text, "Also for the hits of each value of this field. May repeat.")
};
pub const DISTINCT: Param<bool> = Param {
    per_field: true,
    ..one("stats.calcdistinct", switch, "Also the distinct values and their number.")
};

pub const DOCS: &[ParamDoc] = &[STATS.doc(), FIELD.doc(), FACET.doc(), DISTINCT.doc()];
