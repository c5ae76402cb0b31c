//! The servers that a client may ask, with what is known of where they are; where such lists come from; and
//! which of them are preferred.
//!
//! In: a list, fixed or watched, and rules of preference; out: how far each server is from what is preferred.
//! Which of equal servers is asked, and whether it is well, is the balancer's.

use std::collections::BTreeMap;
use std::str::FromStr;

use tokio::sync::watch;

use crate::error::Error;
use crate::url::SolrUrl;

/// One server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub url: SolrUrl,
    /// Such as a data centre or an availability zone.
    pub zone: Option<String>,
    pub tags: BTreeMap<String, String>,
}

impl From<SolrUrl> for Endpoint {
    fn from(url: SolrUrl) -> Self {
        Self { url, zone: None, tags: BTreeMap::new() }
    }
}

impl Endpoint {
    #[must_use]
    pub fn in_zone(mut self, zone: &str) -> Self {
        self.zone = Some(zone.to_owned());
        self
    }

    #[must_use]
    pub fn tagged(mut self, name: &str, value: &str) -> Self {
        self.tags.insert(name.to_owned(), value.to_owned());
        self
    }
}

/// Where the list of servers comes from: a fixed list here; whoever knows a cluster's live nodes (ZooKeeper)
/// implements it too. A change takes effect at the next request; connections to servers that stay are kept.
pub trait EndpointSource: Send + Sync {
    /// The present list, and all later ones. A source that is dropped leaves its last list standing.
    fn watch(&self) -> watch::Receiver<Vec<Endpoint>>;
}

/// A list that stays as it is.
#[derive(Clone, Debug)]
pub struct StaticEndpoints(Vec<Endpoint>);

impl StaticEndpoints {
    pub fn new(endpoints: impl IntoIterator<Item = impl Into<Endpoint>>) -> Self {
        Self(endpoints.into_iter().map(Into::into).collect())
    }
}

impl EndpointSource for StaticEndpoints {
    fn watch(&self) -> watch::Receiver<Vec<Endpoint>> {
        watch::channel(self.0.clone()).1
    }
}

/// A rule that some servers satisfy. Preferring never adds a server and never leaves one out: those that
/// match come first, the others when none of these can be asked.
///
/// Written `zone:WEST` or `tag:NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preference {
    Zone(String),
    Tag { name: String, value: String },
}

impl Preference {
    fn matches(&self, endpoint: &Endpoint) -> bool {
        match self {
            Preference::Zone(zone) => endpoint.zone.as_ref() == Some(zone),
            Preference::Tag { name, value } => endpoint.tags.get(name) == Some(value),
        }
    }
}

impl FromStr for Preference {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::Request(format!("`{text}` is no preference; write it as `zone:WEST` or `tag:NAME=VALUE`"))
        };
        match text.split_once(':').ok_or_else(wrong)? {
            ("zone", zone) if !zone.is_empty() => Ok(Preference::Zone(zone.to_owned())),
            ("tag", tag) => {
                let (name, value) =
                    tag.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
                Ok(Preference::Tag { name: name.to_owned(), value: value.to_owned() })
            }
            _ => Err(wrong()),
        }
    }
}

/// How far an endpoint is from what is preferred: the first rule that it fails weighs more than all later
/// ones together. 0 is best.
pub(super) fn distance<'a>(endpoint: &Endpoint, rules: impl Iterator<Item = &'a Preference>) -> u64 {
    rules.take(64).fold(0, |distance, rule| distance << 1 | u64::from(!rule.matches(endpoint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_parsed() {
        let check = |text: &str, expected: Option<Preference>| {
            assert_eq!(text.parse::<Preference>().ok(), expected, "{text}");
        };
        check("zone:WEST", Some(Preference::Zone("WEST".into())));
        check("tag:disk=ssd", Some(Preference::Tag { name: "disk".into(), value: "ssd".into() }));
        check("zone:", None);
        check("tag:=ssd", None);
        check("rack:7", None);
    }

    #[test]
    fn earlier_rules_weigh_more() {
        let endpoint = |zone: &str, disk: &str| {
            Endpoint::from("h".parse::<SolrUrl>().unwrap()).in_zone(zone).tagged("disk", disk)
        };
        let rules: [Preference; 2] = ["zone:a".parse().unwrap(), "tag:disk=ssd".parse().unwrap()];
        let check = |zone: &str, disk: &str, expected: u64| {
            assert_eq!(distance(&endpoint(zone, disk), rules.iter()), expected, "{zone} {disk}");
        };
        check("a", "ssd", 0);
        check("a", "hdd", 1);
        check("b", "ssd", 2);
        check("b", "hdd", 3);
    }
}
