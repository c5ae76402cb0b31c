//! The state of a SolrCloud as its ZooKeeper has it: live nodes, each collection's `state.json`, aliases. For
//! clients that know the quorum and no node, as SolrJ's `CloudSolrClient` does.
//!
//! It only reads, over one session that is kept while states are asked for and made anew when it is gone; it
//! sets no watches: who asks decides how old a state may be. What is read becomes the answer that
//! `CLUSTERSTATUS` would have given, which `state` understands. Reading needs no login, as Solr sets it up;
//! of a tree that is protected from reading it reports that.

mod failure;
mod session;
mod wire;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex, watch};

use super::source::{ClusterStateSource, Fetching};
use super::state::ClusterState;
use crate::balance::{Endpoint, EndpointSource};
use crate::error::Error;
use crate::login::Login;
use crate::url::SolrUrl;
use failure::ZooKeeperError;
use session::Session;
use wire::Ask;

const PORT_DEFAULT: u16 = 2181;
/// For one server to accept and to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// ZooKeeper as the source of a cluster's state, and of its live nodes. Cheap to clone; clones share the
/// session and the list of nodes, which is that of the last state that was fetched.
///
/// ```no_run
/// # async fn example() -> Result<(), client::Error> {
/// use client::{ClientOptions, CloudClient, Request, ZooKeeperState};
///
/// let zookeeper: ZooKeeperState = "zk1:2181,zk2:2181,zk3:2181/solr".parse()?;
/// let client = CloudClient::new(zookeeper, None, ClientOptions::default());
/// client.search("films", Request::get("films/select", &[("q", "solaris")])).await?.ok()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ZooKeeperState(Arc<Shared>);

struct Shared {
    servers: Vec<String>,
    /// Without a slash at its end; empty where there is none.
    chroot: String,
    /// For the nodes; ZooKeeper itself gets none.
    login: Option<Login>,
    session: Mutex<Option<Session>>,
    nodes: watch::Sender<Vec<Endpoint>>,
}

impl FromStr for ZooKeeperState {
    type Err = Error;

    /// `HOST[:PORT][,…][/chroot]`, as Solr's `zkHost`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::Request(format!(
                "`{text}` names no ZooKeeper; write it as HOST:PORT[,HOST:PORT…][/chroot], such as zk1:2181,zk2:2181/solr"
            ))
        };
        let (hosts, chroot) = text.find('/').map_or((text, ""), |at| text.split_at(at));
        let is_path =
            |chroot: &str| chroot.is_empty() || chroot.split('/').skip(1).all(|part| !part.is_empty());
        let chroot = chroot.trim_end_matches('/');
        let mut servers = Vec::new();
        for host in hosts.split(',').map(str::trim) {
            let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
            let is_port = port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0);
            if name.is_empty() || name.contains(char::is_whitespace) || !is_port || !is_path(chroot) {
                return Err(wrong());
            }
            servers.push(if port.is_empty() { format!("{name}:{PORT_DEFAULT}") } else { host.to_owned() });
        }
        Ok(Self(Arc::new(Shared {
            servers,
            chroot: chroot.to_owned(),
            login: None,
            session: Mutex::new(None),
            nodes: watch::Sender::new(Vec::new()),
        })))
    }
}

impl ZooKeeperState {
    /// The same, with a session and a list of its own, whose nodes are told this.
    #[must_use]
    pub fn with_login(&self, login: Option<Login>) -> Self {
        let Shared { servers, chroot, .. } = &*self.0;
        Self(Arc::new(Shared {
            servers: servers.clone(),
            chroot: chroot.clone(),
            login,
            session: Mutex::new(None),
            nodes: watch::Sender::new(Vec::new()),
        }))
    }
}

impl ClusterStateSource for ZooKeeperState {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(self.0.fetch())
    }
}

/// The live nodes.
impl EndpointSource for ZooKeeperState {
    fn watch(&self) -> watch::Receiver<Vec<Endpoint>> {
        self.0.nodes.subscribe()
    }
}

impl fmt::Display for ZooKeeperState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.servers.join(","), self.0.chroot)
    }
}

impl fmt::Debug for ZooKeeperState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ZooKeeperState").field(&self.to_string()).finish()
    }
}

impl Shared {
    async fn fetch(&self) -> Result<ClusterState, Error> {
        // Held meanwhile: whoever else asks wants the same.
        let mut session = self.session.lock().await;
        let mut failed = None;
        // The session that is there may have ended unnoticed; a new one has not.
        if let Some(known) = session.as_mut() {
            match self.read(known).await {
                Ok(state) => return Ok(state),
                Err(error) => failed = Some(error),
            }
        }
        *session = None;
        for server in &self.servers {
            let mut next = match Session::open(server, PATIENCE).await {
                Ok(next) => next,
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            match self.read(&mut next).await {
                Ok(state) => {
                    *session = Some(next);
                    return Ok(state);
                }
                Err(error) => failed = Some(error),
            }
        }
        let reason = failed.map_or_else(|| "there is none".to_owned(), |error| error.to_string());
        Err(Error::ZooKeeper { servers: self.servers.join(","), reason })
    }

    async fn read(&self, session: &mut Session) -> Result<ClusterState, ZooKeeperError> {
        let path = |path: &str| format!("{}{path}", self.chroot);
        let first = [
            Ask::Children(path("/live_nodes")),
            Ask::Children(path("/collections")),
            Ask::Data(path("/aliases.json")),
            Ask::Data(path("/clusterprops.json")),
        ];
        let [live, names, aliases, properties] = session.ask(&first, PATIENCE).await?;
        let live = live.children()?.ok_or_else(|| ZooKeeperError::NoCluster(path("/live_nodes")))?;
        let names = names.children()?.unwrap_or_default();
        let properties = properties.json()?;
        let scheme = properties.get("urlScheme").and_then(Value::as_str).unwrap_or("http");
        let mut collections = Map::new();
        for names in names.chunks(session::AT_ONCE) {
            let asks: Vec<Ask> = names
                .iter()
                .map(|name| Ask::Data(path(&format!("/collections/{name}/state.json"))))
                .collect();
            let states = session.ask_all(&asks, PATIENCE).await?;
            for (name, state) in names.iter().zip(states) {
                // None while it is being made or removed.
                let mut state = state.json()?;
                let Some(mut collection) = state.as_object_mut().and_then(|state| state.remove(name)) else {
                    continue;
                };
                if is_true(collection.get("perReplicaState")) {
                    let path = path(&format!("/collections/{name}/state.json"));
                    let below = [Ask::Children(path)];
                    let [states] = session.ask(&below, PATIENCE).await?;
                    overlay_replica_states(&mut collection, &states.children()?.unwrap_or_default());
                }
                add_base_urls(&mut collection, scheme);
                collections.insert(name.clone(), collection);
            }
        }
        let aliases = aliases.json()?.get("collection").cloned().unwrap_or_else(|| json!({}));
        let status = json!({"live_nodes": live, "collections": collections, "aliases": aliases});
        let urls = live.iter().filter_map(|node| base_url(node, scheme)?.parse::<SolrUrl>().ok());
        self.nodes.send_replace(urls.map(|url| url.with_login(self.login.clone()).into()).collect());
        ClusterState::parse(&json!({ "cluster": status }))
            .map_err(|error| ZooKeeperError::Malformed(error.to_string()))
    }
}

/// Solr writes booleans both ways.
fn is_true(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value == true || value == "true")
}

/// Of `HOST:PORT_CONTEXT`, whose context is escaped as in a URL. `None` for what is no node's name.
fn base_url(node: &str, scheme: &str) -> Option<String> {
    let colon = node.find(':')?;
    let underscore = colon + node.get(colon..)?.find('_')?;
    let (authority, context) = (node.get(..underscore)?, node.get(underscore + 1..)?);
    let context = percent_decode_str(context).decode_utf8().ok()?;
    let slash = if context.is_empty() { "" } else { "/" };
    Some(format!("{scheme}://{authority}{slash}{context}"))
}

/// A replica's own, where Solr before 9 wrote one, stays.
fn add_base_urls(collection: &mut Value, scheme: &str) {
    for_replicas(collection, |_, replica| {
        let node = replica.get("node_name").and_then(Value::as_str);
        if let Some(url) = node.and_then(|node| base_url(node, scheme)) {
            replica.entry("base_url").or_insert(Value::String(url));
        }
    });
}

/// States that are nodes of their own beneath `state.json`, as `REPLICA:VERSION:STATE[:L]`: of several of one
/// replica the latest counts, `L` says that it leads.
fn overlay_replica_states(collection: &mut Value, states: &[String]) {
    let parse = |state: &str| {
        let mut parts = state.split(':');
        let (replica, version) = (parts.next()?.to_owned(), parts.next()?.parse::<u64>().ok()?);
        let state = match parts.next()? {
            "A" => "active",
            "R" => "recovering",
            "F" => "recovery_failed",
            _ => "down",
        };
        Some((replica, version, state, parts.next() == Some("L")))
    };
    let states: Vec<_> = states.iter().filter_map(|state| parse(state)).collect();
    for_replicas(collection, |name, replica| {
        let own = states.iter().filter(|(of, ..)| of == name);
        let Some((_, _, state, leads)) = own.max_by_key(|(_, version, ..)| version) else { return };
        replica.insert("state".to_owned(), json!(state));
        replica.insert("leader".to_owned(), json!(leads.to_string()));
    });
}

fn for_replicas(collection: &mut Value, mut change: impl FnMut(&str, &mut Map<String, Value>)) {
    let shards = collection.get_mut("shards").and_then(Value::as_object_mut);
    for (_, shard) in shards.into_iter().flatten() {
        let replicas = shard.get_mut("replicas").and_then(Value::as_object_mut);
        for (name, replica) in replicas.into_iter().flatten() {
            if let Some(replica) = replica.as_object_mut() {
                change(name, replica);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_solr_has_them() {
        let check = |text: &str, expected: Option<&str>| {
            let found = text.parse::<ZooKeeperState>();
            assert_eq!(found.as_ref().map(ToString::to_string).ok().as_deref(), expected, "{text}");
        };
        check("zk1", Some("zk1:2181"));
        check("zk1:2182, zk2/solr/", Some("zk1:2182,zk2:2181/solr"));
        check("[::1]:2181/a/b", Some("[::1]:2181/a/b"));
        for wrong in ["", "/solr", "zk1,", "zk1:x", "zk1:0", "zk1//solr", "z k:1", "zk1:99999"] {
            check(wrong, None);
        }
    }

    #[test]
    fn nodes_names_become_urls() {
        let check = |node: &str, expected: Option<&str>| {
            assert_eq!(base_url(node, "https").as_deref(), expected, "{node}");
        };
        check("a_b.example:8983_solr", Some("https://a_b.example:8983/solr"));
        check("h:1_", Some("https://h:1"));
        check("h:1_a%2Fb", Some("https://h:1/a/b"));
        check("h:1", None);
        check("h_solr", None);
        check("", None);
    }

    #[test]
    fn states_beneath_count_more_than_what_is_written() {
        let mut collection = json!({"shards": {"s": {"replicas": {
            "r1": {"state": "down", "leader": "true"}, "r2": {"state": "active"}, "r3": {"state": "active"}, "r4": 7,
        }}}});
        let states = ["r1:1:D", "r1:3:A:L", "r1:2:R", "r2:9:F", "r3", "r3:x:D", "r5:1:A"].map(str::to_owned);
        overlay_replica_states(&mut collection, &states);
        let replica = |name: &str| collection["shards"]["s"]["replicas"][name].clone();
        assert_eq!(replica("r1"), json!({"state": "active", "leader": "true"}));
        assert_eq!(replica("r2"), json!({"state": "recovery_failed", "leader": "false"}));
        assert_eq!((replica("r3"), replica("r4")), (json!({"state": "active"}), json!(7)));
    }
}
