//! The client that knows the cluster: searches go to nodes that have the collection, an update to the leader
//! of its document's shard. Any node would pass it on; that saves the detour.
//!
//! In: a source of cluster states, asked anew when a state is old or fails; out: requests confined to the
//! nodes that suit, over the common transport. Which shard a document is in is worked out by the state.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

use crate::balance::{Candidate, Endpoint, EndpointSource};
use crate::cloud::{ClusterState, ClusterStateSource, Replica};
use crate::error::{Error, ErrorKind};
use crate::login::Login;
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::transport::{StreamedResponse, Transport};
use crate::url::SolrUrl;

/// A state is asked for anew after this, and at once after a failure that a change would explain.
const STATE_AGE_MAX: Duration = Duration::from_secs(30);
/// But not more often, however much fails.
const STATE_AGE_MIN: Duration = Duration::from_secs(1);

/// A client of a cluster (SolrJ's `CloudSolrClient`). Cheap to clone.
///
/// ```no_run
/// # async fn example() -> Result<(), client::Error> {
/// use client::{ClientOptions, CloudClient, HttpClusterState, Request, SolrUrl, StaticEndpoints};
///
/// let nodes = StaticEndpoints::new(["node1:8983".parse::<SolrUrl>()?, "node2:8983".parse::<SolrUrl>()?]);
/// let state = HttpClusterState::new(&nodes, ClientOptions::default());
/// let client = CloudClient::new(state, None, ClientOptions::default());
/// client.search("films", Request::get("films/select", &[("q", "solaris")])).await?.ok()?;
/// let update = Request::post("films/update", &[], "application/json", r#"{"add":{"doc":{"id":"7"}}}"#);
/// client.update("films", Some("7"), update).await?.ok()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct CloudClient {
    shared: Arc<Shared>,
}

/// Where in a cluster a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A node with a replica of this collection or alias.
    Replicas(&'a str),
    /// The leader of the shard of a document of this collection; without an id, any of its leaders.
    Leader(&'a str, Option<&'a str>),
}

struct Shared {
    source: Box<dyn ClusterStateSource>,
    /// Nodes of which zones and tags are known.
    endpoints: Vec<Endpoint>,
    login: Option<Login>,
    nodes: Nodes,
    transport: Transport,
    known: Mutex<Option<Known>>,
}

struct Known {
    state: Arc<ClusterState>,
    since: Instant,
}

/// The nodes of the state, as the servers of the transport.
struct Nodes(watch::Sender<Vec<Endpoint>>);

impl EndpointSource for Nodes {
    fn watch(&self) -> watch::Receiver<Vec<Endpoint>> {
        self.0.subscribe()
    }
}

impl CloudClient {
    /// `login` is sent to every node that the state names.
    pub fn new(
        source: impl ClusterStateSource + 'static,
        login: Option<Login>,
        options: ClientOptions,
    ) -> Self {
        Self::with_endpoints(source, Vec::new(), login, options)
    }

    /// The same where zones and tags are known of some nodes: a state tells none. Nodes are told apart by
    /// host and port.
    pub fn with_endpoints(
        source: impl ClusterStateSource + 'static,
        endpoints: Vec<Endpoint>,
        login: Option<Login>,
        options: ClientOptions,
    ) -> Self {
        let nodes = Nodes(watch::Sender::new(Vec::new()));
        let transport = Transport::new(&nodes, options);
        let known = Mutex::new(None);
        Self {
            shared: Arc::new(Shared { source: Box::new(source), endpoints, login, nodes, transport, known }),
        }
    }

    /// To a live node with a replica of the collection, or of what an alias stands for. Errors:
    /// [`Error::NoEndpoint`] where there is none.
    pub async fn search(&self, collection: &str, request: Request) -> Result<Response, Error> {
        self.send(Target::Replicas(collection), &request).await
    }

    /// To the leader of the shard of the document `id`; without one, or where that cannot be known, to any
    /// leader of the collection.
    pub async fn update(
        &self,
        collection: &str,
        id: Option<&str>,
        request: Request,
    ) -> Result<Response, Error> {
        self.send(Target::Leader(collection, id), &request).await
    }

    /// An answer of any status. Where no node of the state suits, or none could be reached, the state may be
    /// old: it is asked for once more. What a server may have seen is not sent again here.
    pub async fn send(&self, target: Target<'_>, request: &Request) -> Result<Response, Error> {
        let first = self.shared.transport.send(&self.aimed(target, request, STATE_AGE_MAX).await?).await;
        match first {
            Err(error) if error.kind() == ErrorKind::RetryLater => {
                self.shared.transport.send(&self.aimed(target, request, STATE_AGE_MIN).await?).await
            }
            sent => sent,
        }
    }

    /// The same with a body that is read as it comes.
    pub async fn open(&self, target: Target<'_>, request: &Request) -> Result<StreamedResponse, Error> {
        let first = self.shared.transport.open(&self.aimed(target, request, STATE_AGE_MAX).await?).await;
        match first {
            Err(error) if error.kind() == ErrorKind::RetryLater => {
                self.shared.transport.open(&self.aimed(target, request, STATE_AGE_MIN).await?).await
            }
            sent => sent,
        }
    }

    /// Asks for the state where none is known, so that its source knows the live nodes.
    pub async fn learn(&self) -> Result<(), Error> {
        self.shared.state(STATE_AGE_MAX).await.map(drop)
    }

    /// Whether the cluster has such a collection or alias, as far as is known.
    pub async fn has(&self, collection: &str) -> Result<bool, Error> {
        Ok(!self.shared.state(STATE_AGE_MAX).await?.shards(collection).is_empty())
    }

    /// The node that leads the shard of each of these documents; `None` where that cannot be known.
    pub async fn leaders(&self, collection: &str, ids: &[&str]) -> Result<Vec<Option<SolrUrl>>, Error> {
        let state = self.shared.state(STATE_AGE_MAX).await?;
        Ok(ids.iter().map(|id| state.leader(collection, id).cloned()).collect())
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.shared.transport.metrics()
    }

    /// Confined to the nodes that suit, by a state of this age at most; a younger one where none does.
    async fn aimed(
        &self,
        target: Target<'_>,
        request: &Request,
        age_max: Duration,
    ) -> Result<Request, Error> {
        for age_max in [age_max, STATE_AGE_MIN] {
            let candidates = target.candidates(&*self.shared.state(age_max).await?);
            if !candidates.is_empty() {
                return Ok(request.clone().candidates(self.shared.with_login(candidates)));
            }
        }
        Err(Error::NoEndpoint("no live node has such a collection, or nobody leads it"))
    }
}

impl Target<'_> {
    fn candidates(&self, state: &ClusterState) -> Vec<Candidate> {
        let all = |collection: &str| state.shards(collection).into_iter().flat_map(|shard| &shard.replicas);
        match self {
            Target::Replicas(collection) => by_node(all(collection)),
            Target::Leader(collection, id) => {
                let leader = id.and_then(|id| state.leader(collection, id));
                let leaders = all(collection).filter(|replica| replica.leads);
                leader.map_or_else(|| by_node(leaders), |leader| vec![leader.clone().into()])
            }
        }
    }
}

/// A node has as many of them as it likes, and is one candidate.
fn by_node<'a>(replicas: impl Iterator<Item = &'a Replica>) -> Vec<Candidate> {
    let mut nodes: Vec<Candidate> = Vec::new();
    for replica in replicas {
        let at = nodes.iter().position(|node| node.url == replica.url).unwrap_or_else(|| {
            nodes.push(replica.url.clone().into());
            nodes.len() - 1
        });
        let Some(node) = nodes.get_mut(at) else { continue };
        node.types.insert(replica.kind.clone());
        node.leads |= replica.leads;
    }
    nodes
}

impl Shared {
    async fn state(&self, age_max: Duration) -> Result<Arc<ClusterState>, Error> {
        // Held while it is fetched: whoever comes meanwhile takes what comes.
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.since.elapsed() < age_max) {
            return Ok(known.state.clone());
        }
        let state = match self.source.fetch().await {
            Ok(state) => Arc::new(state),
            // An old state is better than none: its nodes may well be there.
            Err(error) => return known.as_ref().map(|known| known.state.clone()).ok_or(error),
        };
        let nodes = self.with_login(by_node(state.replicas())).into_iter();
        self.nodes.0.send_replace(nodes.map(|node| self.endpoint(&node.url)).collect());
        *known = Some(Known { state: state.clone(), since: Instant::now() });
        Ok(state)
    }

    fn endpoint(&self, url: &SolrUrl) -> Endpoint {
        let known = self.endpoints.iter().find(|known| known.url.authority() == url.authority());
        known.map_or_else(
            || Endpoint::from(url.clone()),
            |known| Endpoint { url: url.clone(), ..known.clone() },
        )
    }

    fn with_login(&self, mut nodes: Vec<Candidate>) -> Vec<Candidate> {
        for node in &mut nodes {
            node.url = node.url.clone().with_login(self.login.clone());
        }
        nodes
    }
}

impl fmt::Debug for CloudClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudClient").finish_non_exhaustive()
    }
}
