//! Request parameters, and the definition of each (spelling, reference text, default, parser) by group, a
//! file each. `pairs.rs` is what a request sent, `form.rs` reads it off the wire, `spec.rs` is what a
//! definition is made of, `unsupported.rs` refuses what Solr has and we do not. Here is the list of all
//! definitions.

pub mod admin;
pub mod analysis;
pub mod dismax;
pub mod elevation;
pub mod facet;
mod form;
pub mod grouping;
pub mod highlight;
pub mod json_request;
pub mod limits;
pub mod more_like;
pub mod paging;
mod pairs;
mod places;
pub mod query;
mod reference_page;
pub mod response;
pub mod shards;
mod spec;
pub mod spelling;
pub mod stats;
pub mod suggesting;
pub mod terms;
pub mod unsupported;
pub mod update;
pub mod vectors;
pub mod why_not;

pub use form::{parse_form, parse_posted_form};
pub use pairs::{PARAMS_MAX, Params};
pub use reference_page::reference_page;
pub use spec::{Fallback, Family, Kind, NoDefault, Param, ParamDoc, Preset, Support};
pub(crate) use spec::{
    double as double_value, fields_with, float as float_value, integer, not_a_number, switch as switch_value,
    trimmed_long,
};

/// All definitions, by what they are about.
const GROUPS: &[(&str, &[ParamDoc])] = &[
    ("What to search", query::DOCS),
    ("Words over many fields", dismax::DOCS),
    ("Which hits", paging::DOCS),
    ("Which shards", shards::DOCS),
    ("How much it may use up", limits::DOCS),
    ("What the response shows", response::DOCS),
    ("Groups", grouping::DOCS),
    ("Documents like others", more_like::DOCS),
    ("Facets", facet::DOCS),
    ("Statistics", stats::DOCS),
    ("Snippets", highlight::DOCS),
    ("Snippets, for all fields or one", highlight::FIELD_DOCS),
    ("Requests in JSON", json_request::DOCS),
    ("Spelling", spelling::DOCS),
    ("Suggestions", suggesting::DOCS),
    ("Put first by hand", elevation::DOCS),
    ("Terms", terms::DOCS),
    ("Terms of the hits", vectors::DOCS),
    ("Text, stage by stage (`/analysis/field`)", analysis::DOCS),
    ("Why not? (`/whynot`)", why_not::DOCS),
    ("Updates (`/update`)", update::DOCS),
    ("Not supported yet", unsupported::DOCS),
];

/// Every definition of searches and updates, in the order of the reference.
pub fn reference() -> impl Iterator<Item = &'static ParamDoc> {
    GROUPS.iter().flat_map(|(_, docs)| docs.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At other paths a name may mean another thing.
    #[test]
    fn every_parameter_is_defined_once() {
        let check = |docs: &mut dyn Iterator<Item = &'static ParamDoc>| {
            let mut names = std::collections::BTreeSet::new();
            for doc in docs {
                assert!(names.insert(doc.name), "{}", doc.name);
                assert!(!doc.about.is_empty(), "{}", doc.name);
            }
        };
        check(&mut reference());
        admin::GROUPS.iter().for_each(|(_, docs)| check(&mut docs.iter()));
    }
}
