//! The parameters of one request: ordered pairs whose names may repeat, with the JSON that some of them stand
//! for, and what a handler's configuration presets. What a parameter means is its definition's (`spec.rs`).
//! In: what the URL and the body sent, presets of the handler; out: one list in which a look-up takes the
//! first of a name. Sent ones stand before defaults, and invariants take a name for themselves.

use std::sync::Arc;

use plan::{Error, HandlerConfig, Result};

use super::places::Places;
use crate::update::RawValue;

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

    /// The first value of a name that is data: that a text or the configuration refers to. What the code
    /// knows by name has a definition, which reads it (`Param`); each place that calls this stands in a list
    /// of `cargo xtask tidy`.
    pub fn by_name(&self, name: &str) -> Option<&str> {
        if self.places.are_kept() {
            return self.all_by_name(name).next();
        }
        // Some hundred look-ups a request, each among a handful.
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of such a name, in order.
    pub fn all_by_name<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
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
        if self.by_name(name).is_some() {
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

    /// These parameters with what a handler presets: its invariants instead of theirs, its defaults where
    /// they are silent, its appends behind them.
    #[must_use]
    pub fn with_handler(&self, handler: &HandlerConfig) -> Self {
        let fixed = |name: &str| handler.invariants.iter().any(|(key, _)| key == name);
        let sent = |name: &str| self.by_name(name).is_some();
        let own = self.pairs.iter().filter(|(name, _)| !fixed(name));
        let defaults = handler.defaults.iter().filter(|(name, _)| !fixed(name) && !sent(name));
        let appends = handler.appends.iter().filter(|(name, _)| !fixed(name));
        let pairs = handler.invariants.iter().chain(own).chain(defaults).chain(appends).cloned().collect();
        Self { json: self.json.clone(), ..Self::new(pairs) }
    }
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
        assert_eq!(all.by_name("rows"), Some("7"));
        assert_eq!(all.by_name("df"), Some("text"));
        assert_eq!(all.all_by_name("wt").collect::<Vec<_>>(), ["json"]);
        assert_eq!(all.all_by_name("fq").collect::<Vec<_>>(), ["a", "b"]);
    }

    /// However many there are.
    #[test]
    fn names_are_found() {
        for more in [0, 1, 61, 62, 63, 64, 200] {
            let others: Vec<_> = (0..more).map(|number| (format!("p{number}"), "x".to_owned())).collect();
            let mut params = Params::new(others);
            let check = |params: &Params, name: &str, expected: &[&str]| {
                assert_eq!(params.all_by_name(name).collect::<Vec<_>>(), expected, "{more} {name}");
                assert_eq!(params.by_name(name), expected.first().copied());
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
            assert_eq!(params, Params::new(params.pairs().to_vec()));
        }
    }
}
