//! Request parameters: ordered pairs whose names may repeat, and, in the files beside this one, the definition of each
//! parameter (spelling, reference text, default, parser) by group. `form.rs` reads them off the wire, `spec.rs` is what a
//! definition is made of, `unsupported.rs` refuses what Solr has and we do not.

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
pub mod query;
mod reference_page;
pub mod response;
mod spec;
pub mod spelling;
pub mod stats;
pub mod suggesting;
pub mod terms;
pub mod unsupported;
pub mod update;
pub mod vectors;
pub mod why_not;

pub use form::parse_form;
pub use reference_page::reference_page;
pub use spec::{Kind, Param, ParamDoc, Support};
pub(crate) use spec::{double as double_value, float as float_value, integer, switch as switch_value};

use std::sync::Arc;

use plan::HandlerConfig;

use crate::update::RawValue;

/// The parameters of one request, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    pairs: Vec<(String, String)>,
    /// The request's JSON, of which the tree of facets is what no pair can hold.
    json: Option<Arc<RawValue>>,
}

impl Params {
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self { pairs, json: None }
    }

    /// The first value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of `name`, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// `facet` of a JSON request.
    pub fn facet_tree(&self) -> Option<&RawValue> {
        match self.json() {
            Some(RawValue::Map(entries)) => {
                entries.iter().find(|(key, _)| &**key == "facet").map(|(_, tree)| tree)
            }
            _ => None,
        }
    }

    /// All JSON of the request as one object.
    pub fn json(&self) -> Option<&RawValue> {
        self.json.as_deref()
    }

    pub(crate) fn with_json(self, json: RawValue) -> Self {
        Self { json: Some(Arc::new(json)), ..self }
    }

    /// Puts `value` in place of all values of `name`.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.pairs.retain(|(key, _)| key != name);
        self.push(name, value);
    }

    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.pairs.push((name.into(), value.into()));
    }

    /// The value of `name` for one field: `f.<field>.<name>` if sent, else `name`.
    pub fn get_for(&self, field: &str, name: &str) -> Option<&str> {
        let own = self.pairs.iter().find(|(key, _)| is_own(key, field, name));
        own.map(|(_, value)| value.as_str()).or_else(|| self.get(name))
    }

    /// All values of `name` for one field, see [`Params::get_for`].
    pub fn all_for<'a>(&'a self, field: &str, name: &'a str) -> Vec<&'a str> {
        let own: Vec<_> = self.pairs.iter().filter(|(key, _)| is_own(key, field, name)).collect();
        if own.is_empty() {
            return self.all(name).collect();
        }
        own.into_iter().map(|(_, value)| value.as_str()).collect()
    }

    /// These parameters with what a handler presets: its invariants instead of theirs, its defaults where they are silent,
    /// its appends behind them.
    #[must_use]
    pub fn with_handler(&self, handler: &HandlerConfig) -> Self {
        let fixed = |name: &str| handler.invariants.iter().any(|(key, _)| key == name);
        let sent = |name: &str| self.pairs.iter().any(|(key, _)| key == name);
        let own = self.pairs.iter().filter(|(name, _)| !fixed(name));
        let defaults = handler.defaults.iter().filter(|(name, _)| !fixed(name) && !sent(name));
        let appends = handler.appends.iter().filter(|(name, _)| !fixed(name));
        let pairs = handler.invariants.iter().chain(own).chain(defaults).chain(appends).cloned().collect();
        Self { pairs, json: self.json.clone() }
    }
}

fn is_own(key: &str, field: &str, name: &str) -> bool {
    let rest = key.strip_prefix("f.").and_then(|rest| rest.strip_prefix(field));
    rest.and_then(|rest| rest.strip_prefix('.')) == Some(name)
}

/// All definitions, by what they are about.
const GROUPS: &[(&str, &[ParamDoc])] = &[
    ("What to search", query::DOCS),
    ("Words over many fields", dismax::DOCS),
    ("Which hits", paging::DOCS),
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

/// Every definition, in the order of the reference.
pub fn reference() -> impl Iterator<Item = &'static ParamDoc> {
    GROUPS.iter().flat_map(|(_, docs)| docs.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn handlers_preset_parameters() {
        let handler = HandlerConfig {
            defaults: pairs(&[("rows", "5"), ("df", "text")]),
            appends: pairs(&[("fq", "b")]),
            invariants: pairs(&[("wt", "json")]),
            ..HandlerConfig::default()
        };
        let sent = Params::new(pairs(&[("rows", "7"), ("fq", "a"), ("wt", "xml")]));
        let all = sent.with_handler(&handler);
        assert_eq!(all.get("rows"), Some("7"));
        assert_eq!(all.get("df"), Some("text"));
        assert_eq!(all.all("wt").collect::<Vec<_>>(), ["json"]);
        assert_eq!(all.all("fq").collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_field_may_have_its_own_value() {
        let params = Params::new(pairs(&[("facet.limit", "1"), ("f.a.facet.limit", "2"), ("f.a.b.x", "3")]));
        assert_eq!(params.get_for("a", "facet.limit"), Some("2"));
        assert_eq!(params.get_for("b", "facet.limit"), Some("1"));
        assert_eq!(params.get_for("a.b", "x"), Some("3"));
        assert_eq!(params.all_for("a", "facet.limit"), ["2"]);
    }

    #[test]
    fn every_parameter_is_defined_once() {
        let mut names: Vec<_> = reference().map(|doc| doc.name).collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
        assert!(reference().all(|doc| !doc.about.is_empty()));
    }
}
