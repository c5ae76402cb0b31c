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
mod places;
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

use plan::{Error, HandlerConfig, Result};

use crate::update::RawValue;
use places::Places;

/// Parameters of one request, whatever they say, with those that its JSON stands for.
pub const PARAMS_MAX: usize = 10_000;

/// The parameters of one request, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    pairs: Vec<(String, String)>,
    places: Places,
    /// The request's JSON, of which the tree of facets is what no pair can hold.
    json: Option<Arc<RawValue>>,
}

impl Params {
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self { places: Places::of(&pairs), pairs, json: None }
    }

    /// The first value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of `name`, in order.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let few = if self.places.are_kept() { &[][..] } else { &self.pairs };
        let among_few = few.iter().filter(move |(key, _)| key == name);
        let among_many = self.places.find(name).iter().filter_map(|at| self.pairs.get(*at));
        among_few.chain(among_many).map(|(_, value)| value.as_str())
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
        if self.get(name).is_some() {
            self.pairs.retain(|(key, _)| key != name);
            self.places = Places::of(&self.pairs);
        }
        self.push(name, value);
    }

    pub fn push(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.pairs.push((name.into(), value.into()));
        self.places.grow(&self.pairs);
    }

    /// Errors: more than [`PARAMS_MAX`]. To be asked where a request makes parameters of its own.
    pub fn check_count(&self) -> Result<()> {
        match self.pairs.len() > PARAMS_MAX {
            false => Ok(()),
            true => Err(Error::bad_request(format!(
                "a request of more than `{PARAMS_MAX}` parameters, with those that its JSON stands for; put many values into one, as \
                 {{!terms}} takes them"
            ))),
        }
    }

    /// The value of `name` for one field: `f.<field>.<name>` if sent, else `name`.
    pub fn get_for(&self, field: &str, name: &str) -> Option<&str> {
        self.get(&own(field, name)).or_else(|| self.get(name))
    }

    /// All values of `name` for one field, see [`Params::get_for`].
    pub fn all_for(&self, field: &str, name: &str) -> Vec<&str> {
        let own = own(field, name);
        let name = if self.get(&own).is_some() { own.as_str() } else { name };
        self.all(name).collect()
    }

    /// These parameters with what a handler presets: its invariants instead of theirs, its defaults where they are silent,
    /// its appends behind them.
    #[must_use]
    pub fn with_handler(&self, handler: &HandlerConfig) -> Self {
        let fixed = |name: &str| handler.invariants.iter().any(|(key, _)| key == name);
        let sent = |name: &str| self.get(name).is_some();
        let own = self.pairs.iter().filter(|(name, _)| !fixed(name));
        let defaults = handler.defaults.iter().filter(|(name, _)| !fixed(name) && !sent(name));
        let appends = handler.appends.iter().filter(|(name, _)| !fixed(name));
        let pairs = handler.invariants.iter().chain(own).chain(defaults).chain(appends).cloned().collect();
        Self { json: self.json.clone(), ..Self::new(pairs) }
    }
}

/// What a parameter is called for one field.
fn own(field: &str, name: &str) -> String {
    format!("f.{field}.{name}")
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

    /// However many there are.
    #[test]
    fn names_are_found() {
        for more in [0, 1, 61, 62, 63, 64, 200] {
            let others: Vec<_> = (0..more).map(|number| (format!("p{number}"), "x".to_owned())).collect();
            let mut params = Params::new(others);
            let check = |params: &Params, name: &str, expected: &[&str]| {
                assert_eq!(params.all(name).collect::<Vec<_>>(), expected, "{more} {name}");
                assert_eq!(params.get(name), expected.first().copied());
                assert_eq!(params.all_for("a", name), expected);
            };
            params.push("a", "1");
            params.push("b", "2");
            params.push("a", "3");
            check(&params, "a", &["1", "3"]);
            check(&params, "nope", &[]);
            params.set("a", "4".to_owned());
            check(&params, "a", &["4"]);
            check(&params, "b", &["2"]);
            params.push("f.a.b", "5");
            check(&params, "f.a.b", &["5"]);
            assert_eq!((params.get_for("a", "b"), params.get_for("c", "b")), (Some("5"), Some("2")));
            assert_eq!(params, Params::new(params.pairs().to_vec()));
        }
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
