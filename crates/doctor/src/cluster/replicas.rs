//! Asks each node, at the address that the cluster has for it, for what it tells of itself alone: its clock,
//! its zone, its certificates, and of each replica the schema and configuration that it works by. A node that
//! is silent is asked no further.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher};

use client::{Error, SolrClient, SolrUrl};
use serde_json::Value;

use super::facts::{ClusterFacts, CollectionFacts, ReplicaFacts};
use super::options::{ClusterOptions, unseen};
use super::{certificates, read};

/// Replicas whose settings are compared; of a larger cluster the rest is not looked at, which is reported.
const REPLICAS_MAX: usize = 200;

/// One replica of a node.
struct AskedReplica {
    node: String,
    core: String,
    /// Whether there are others to compare its settings with.
    compared: bool,
}

/// A node at its own address.
struct AskedNode<'o> {
    options: &'o ClusterOptions,
    client: SolrClient,
    url: String,
}

impl<'o> AskedNode<'o> {
    fn new(options: &'o ClusterOptions, url: &SolrUrl) -> Self {
        Self { options, client: options.client(url), url: url.to_string() }
    }

    /// A refusal is reported, with who refused, and is no reason to ask no more; silence is an error.
    async fn get(
        &self,
        (path, params): (&str, &[(&str, &str)]),
        facts: &mut ClusterFacts,
    ) -> Result<Option<(Value, read::ClockReadings)>, Error> {
        // A replica of a cloud would pass the question on to another.
        let own = [("wt", "json"), ("omitHeader", "true"), ("distrib", "false")];
        match self.options.get(&self.client, path, &[params, &own].concat()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error @ (Error::Status { .. } | Error::NotJson(_) | Error::TooLong { .. })) => {
                facts.unseen.push(unseen(&format!("{path} of {}", self.url), &error));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Of a single node there is nothing to compare.
pub async fn ask_replicas(options: &ClusterOptions, product: read::Product, facts: &mut ClusterFacts) {
    if facts.live_nodes.len() < 2 {
        return;
    }
    for (base_url, replicas) in by_address(facts) {
        let url = match own_url(&options.url, &base_url) {
            Ok(url) => url,
            Err(error) => {
                facts.unseen.push(unseen("the address of a node", &error));
                continue;
            }
        };
        let asked = ask_node(options, facts, &url, &replicas).await;
        let node = replicas.first().map(|replica| replica.node.clone()).filter(|_| asked.is_ok());
        if let Some(node) = node.filter(|_| product == read::Product::Parhelion) {
            ask_own_doctor(options, facts, &url, &node).await;
        }
        if let Err(error) = asked {
            facts.unseen.push(unseen("what a node tells of itself alone", &error));
        }
    }
}

/// Active replicas by the address of their node.
fn by_address(facts: &mut ClusterFacts) -> BTreeMap<String, Vec<AskedReplica>> {
    let mut sharing: BTreeMap<&str, usize> = BTreeMap::new();
    for (collection, _) in active_replicas(facts) {
        *sharing.entry(collection.settings_name()).or_default() += 1;
    }
    let mut found: BTreeMap<String, Vec<AskedReplica>> = BTreeMap::new();
    let (mut asked, mut left_out) = (0, 0);
    for (collection, replica) in active_replicas(facts) {
        let Some(base_url) = replica.base_url.clone() else { continue };
        let mut compared = sharing.get(collection.settings_name()).is_some_and(|count| *count > 1);
        if compared && asked == REPLICAS_MAX {
            (compared, left_out) = (false, left_out + 1);
        }
        asked += usize::from(compared);
        let (node, core) = (replica.node.clone(), replica.core.clone());
        found.entry(base_url).or_default().push(AskedReplica { node, core, compared });
    }
    if left_out > 0 {
        facts
            .unseen
            .push(format!("settings of {left_out} replicas: those of the first {REPLICAS_MAX} are compared"));
    }
    found
}

fn active_replicas(facts: &ClusterFacts) -> impl Iterator<Item = (&CollectionFacts, &ReplicaFacts)> {
    let all = facts.replicas().map(|(collection, _, replica)| (collection, replica));
    all.filter(|(_, replica)| facts.serves(replica) && is_core_name(&replica.core))
}

/// What may stand in a path. The cluster's state is others' words: no name in it may make a question out of
/// what is read.
fn is_core_name(name: &str) -> bool {
    !name.starts_with(['-', '.'])
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

/// A login that was given for TLS is not sent without.
fn own_url(asked: &SolrUrl, base_url: &str) -> Result<SolrUrl, Error> {
    let url: SolrUrl = base_url.parse()?;
    let login = asked.login().filter(|_| url.is_tls() || !asked.is_tls()).cloned();
    Ok(url.with_login(login))
}

/// Errors: when it is silent.
async fn ask_node(
    options: &ClusterOptions,
    facts: &mut ClusterFacts,
    url: &SolrUrl,
    replicas: &[AskedReplica],
) -> Result<(), Error> {
    let Some(first) = replicas.first() else { return Ok(()) };
    certificates::look(facts, url, options.patience).await;
    let asked_node = AskedNode::new(options, url);
    let system = format!("{}/admin/system", first.core);
    if let Some((answer, asked)) = asked_node.get((&system, &[]), facts).await? {
        read::core_system(facts, &first.node, &answer, asked);
    }
    let named = [("name", read::ZONE)];
    if let Some((answer, _)) = asked_node.get(("admin/info/properties", &named), facts).await? {
        read::zone(facts, &first.node, &answer);
    }
    for replica in replicas.iter().filter(|replica| replica.compared) {
        let settings = settings(&asked_node, &replica.core, facts).await?;
        let known = facts.replicas_mut().find(|known| known.core == replica.core);
        if let Some(known) = known {
            known.settings = settings;
        }
    }
    Ok(())
}

/// What a Parhelion finds on its own host.
async fn ask_own_doctor(options: &ClusterOptions, facts: &mut ClusterFacts, url: &SolrUrl, node: &str) {
    match AskedNode::new(options, url).get((read::OWN_DOCTOR, &[]), facts).await {
        Ok(answer) => answer.into_iter().for_each(|(answer, _)| read::own_doctor(facts, node, &answer)),
        Err(error) => facts.unseen.push(unseen("what a node's own doctor says", &error)),
    }
}

/// What a replica works by, as a number that is equal where the settings are.
async fn settings(node: &AskedNode<'_>, core: &str, facts: &mut ClusterFacts) -> Result<Option<u64>, Error> {
    let mut hasher = DefaultHasher::new();
    for part in ["schema", "config"] {
        let path = format!("{core}/{part}");
        let Some((mut answer, _)) = node.get((&path, &[]), facts).await? else {
            return Ok(None);
        };
        let Some(settings) = answer.get_mut(part) else { return Ok(None) };
        forget_own(settings);
        hash_settings(settings, &mut hasher);
    }
    Ok(Some(hasher.finish()))
}

/// Members count in order of their names: Solr writes those of a map in another order from node to node (seen
/// of 9.10.1).
fn hash_settings(settings: &Value, hasher: &mut impl Hasher) {
    match settings {
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            sorted.len().hash(hasher);
            for (name, value) in sorted {
                name.hash(hasher);
                hash_settings(value, hasher);
            }
        }
        Value::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash_settings(item, hasher));
        }
        single => single.to_string().hash(hasher),
    }
}

/// What is each replica's own: where it lies, and what it is called.
fn forget_own(settings: &mut Value) {
    const OWN: [&str; 4] = ["dataDir", "name", "instanceDir", "coreName"];
    if let Value::Object(members) = settings {
        members.retain(|name, _| !OWN.contains(&name.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(text: &str) -> u64 {
        let mut settings = serde_json::from_str(text).unwrap();
        forget_own(&mut settings);
        let mut hasher = DefaultHasher::new();
        hash_settings(&settings, &mut hasher);
        hasher.finish()
    }

    #[test]
    fn settings_are_alike_whatever_their_order_and_place() {
        let one = hashed(r#"{"a": {"x": 1, "y": [1, 2]}, "dataDir": "/a"}"#);
        assert_eq!(one, hashed(r#"{"dataDir": "/b", "a": {"y": [1, 2], "x": 1}}"#));
        for other in
            [r#"{"a": {"x": 1, "y": [2, 1]}}"#, r#"{"a": {"x": 2, "y": [1, 2]}}"#, r#"{"a": {"x": 1}}"#, "{}"]
        {
            assert_ne!(one, hashed(other), "{other}");
        }
    }

    #[test]
    fn names_that_would_ask_for_something_else_are_not_asked() {
        for (name, expected) in [
            ("films_shard1_replica_n1", true),
            ("a.b-c", true),
            ("admin/collections?action=DELETE&name=films&", false),
            ("..", false),
            ("-a", false),
            ("", false),
        ] {
            assert_eq!(is_core_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_login_for_tls_is_not_sent_without() {
        let login = client::Login::user("a:b").ok();
        let check = |asked: &str, base: &str, expected: bool| {
            let asked = asked.parse::<SolrUrl>().unwrap().with_login(login.clone());
            assert_eq!(own_url(&asked, base).unwrap().login().is_some(), expected, "{asked} {base}");
        };
        check("http://a/solr", "http://b/solr", true);
        check("http://a/solr", "https://b/solr", true);
        check("https://a/solr", "https://b/solr", true);
        check("https://a/solr", "http://b/solr", false);
    }
}
