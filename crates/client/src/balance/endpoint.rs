//! The servers that a client may ask, with what is known of where they are; where such lists come from; and
//! which of them are preferred.
//!
//! In: a list, fixed or watched, and rules of preference; out: how far each server is from what is preferred.
//! Which of equal servers is asked, and whether it is well, is the balancer's.

use std::collections::{BTreeMap, BTreeSet};
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

/// Where the list of servers comes from: a fixed list here, a cluster's live nodes where ZooKeeper is asked
/// (`ZooKeeperState`). A change takes effect at the next request; connections to servers that stay are kept.
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

/// A server that a request may go to, with what it has of the collection that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub url: SolrUrl,
    /// Types of its replicas, such as `PULL`.
    pub types: BTreeSet<String>,
    /// Whether it leads a shard.
    pub leads: bool,
}

impl From<SolrUrl> for Candidate {
    fn from(url: SolrUrl) -> Self {
        Self { url, types: BTreeSet::new(), leads: false }
    }
}

/// A rule that some servers satisfy. Preferring never adds a server and never leaves one out: those that
/// match come first, the others when none of these can be asked.
///
/// Written `zone:WEST`, `tag:NAME=VALUE`, `location:PREFIX` (of a URL, with or without its scheme), and of
/// replicas, which only a client of a cluster knows, `type:PULL`, `leader:true` or `leader:false`. The last
/// three may also be written as in Solr's `shards.preference`: `replica.location:`, `replica.type:`,
/// `replica.leader:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preference {
    Zone(String),
    Tag { name: String, value: String },
    Location(String),
    Type(String),
    Leader(bool),
}

impl Preference {
    /// Of a comma-separated list, the most important rule first.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Error> {
        text.split(',').map(|rule| rule.trim().parse()).collect()
    }

    fn matches(&self, endpoint: &Endpoint, candidate: Option<&Candidate>) -> bool {
        match self {
            Preference::Zone(zone) => endpoint.zone.as_ref() == Some(zone),
            Preference::Tag { name, value } => endpoint.tags.get(name) == Some(value),
            Preference::Location(prefix) => {
                let url = endpoint.url.to_string();
                url.starts_with(prefix) || url.split("://").nth(1).is_some_and(|it| it.starts_with(prefix))
            }
            Preference::Type(name) => candidate.is_some_and(|candidate| candidate.types.contains(name)),
            Preference::Leader(leads) => candidate.is_some_and(|candidate| candidate.leads == *leads),
        }
    }
}

impl FromStr for Preference {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::Request(format!(
                "`{text}` is no preference; write it as `zone:WEST`, `tag:NAME=VALUE`, `location:PREFIX`, `type:PULL` or `leader:true`"
            ))
        };
        let (kind, value) = text.split_once(':').filter(|(_, value)| !value.is_empty()).ok_or_else(wrong)?;
        Ok(match kind {
            "zone" => Preference::Zone(value.to_owned()),
            "tag" => {
                let (name, value) =
                    value.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
                Preference::Tag { name: name.to_owned(), value: value.to_owned() }
            }
            "location" | "replica.location" => Preference::Location(value.to_owned()),
            "type" | "replica.type" => Preference::Type(value.to_ascii_uppercase()),
            "leader" | "replica.leader" => Preference::Leader(value.parse().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        })
    }
}

/// How far an endpoint is from what is preferred: the first rule that it fails weighs more than all later
/// ones together. 0 is best.
pub(super) fn distance<'a>(
    endpoint: &Endpoint,
    candidate: Option<&Candidate>,
    rules: impl Iterator<Item = &'a Preference>,
) -> u64 {
    rules.take(64).fold(0, |distance, rule| distance << 1 | u64::from(!rule.matches(endpoint, candidate)))
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
        check("location:10.1.", Some(Preference::Location("10.1.".into())));
        check("replica.location:http://h:1/solr", Some(Preference::Location("http://h:1/solr".into())));
        check("replica.type:pull", Some(Preference::Type("PULL".into())));
        check("leader:false", Some(Preference::Leader(false)));
        check("leader:maybe", None);
        let list = Preference::parse_list("zone:a, leader:true").unwrap();
        assert_eq!(list, [Preference::Zone("a".into()), Preference::Leader(true)]);
        assert!(Preference::parse_list("").is_err() && Preference::parse_list("zone:a,").is_err());
    }

    #[test]
    fn earlier_rules_weigh_more() {
        let endpoint = |zone: &str, disk: &str| {
            Endpoint::from("h".parse::<SolrUrl>().unwrap()).in_zone(zone).tagged("disk", disk)
        };
        let rules: [Preference; 2] = ["zone:a".parse().unwrap(), "tag:disk=ssd".parse().unwrap()];
        let check = |zone: &str, disk: &str, expected: u64| {
            let found = distance(&endpoint(zone, disk), None, rules.iter());
            assert_eq!(found, expected, "{zone} {disk}");
        };
        check("a", "ssd", 0);
        check("a", "hdd", 1);
        check("b", "ssd", 2);
        check("b", "hdd", 3);
    }
    #[test]
    fn rules_of_replicas_and_places() {
        let endpoint = Endpoint::from("https://10.1.0.7:8983/solr".parse::<SolrUrl>().unwrap());
        let types = BTreeSet::from(["PULL".to_owned()]);
        let candidate = Candidate { types, leads: true, ..Candidate::from(endpoint.url.clone()) };
        let check = |rule: &str, known: bool, unknown: bool| {
            let rule: Preference = rule.parse().unwrap();
            let found = [Some(&candidate), None].map(|candidate| rule.matches(&endpoint, candidate));
            assert_eq!(found, [known, unknown], "{rule:?}");
        };
        check("location:10.1.", true, true);
        check("location:https://10.1.0.7", true, true);
        check("location:10.2.", false, false);
        check("type:PULL", true, false);
        check("type:NRT", false, false);
        check("leader:true", true, false);
        check("leader:false", false, false);
    }
}
