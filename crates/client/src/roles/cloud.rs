//! The client that knows the cluster: searches go to nodes that have the collection, an update to the leader
//! of its document's shard. Any node would pass it on; that saves the detour.
//!
//! In: a source of cluster states, asked anew when a state is old or fails; out: requests confined to the
//! nodes that suit, over the common transport. Which shard a document is in is worked out by the state.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

use crate::balance::{Endpoint, EndpointSource};
use crate::cloud::{ClusterState, ClusterStateSource};
use crate::error::{Error, ErrorKind};
use crate::login::Login;
use crate::metrics::MetricsSnapshot;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::response::Response;
use crate::transport::Transport;
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

struct Shared {
    source: Box<dyn ClusterStateSource>,
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
    /// `login` is said to every node that the state names.
    pub fn new(
        source: impl ClusterStateSource + 'static,
        login: Option<Login>,
        options: ClientOptions,
    ) -> Self {
        let nodes = Nodes(watch::Sender::new(Vec::new()));
        let transport = Transport::new(&nodes, options);
        let known = Mutex::new(None);
        Self { shared: Arc::new(Shared { source: Box::new(source), login, nodes, transport, known }) }
    }

    /// To a live node with a replica of the collection, or of what an alias stands for. Errors:
    /// [`Error::NoEndpoint`] where there is none.
    pub async fn search(&self, collection: &str, request: Request) -> Result<Response, Error> {
        self.send(request, |state| {
            let replicas = state.shards(collection).into_iter().flat_map(|shard| &shard.replicas);
            replicas.map(|replica| replica.url.clone()).collect()
        })
        .await
    }

    /// To the leader of the shard of the document `id`; without one, or where that cannot be known, to any
    /// leader of the collection.
    pub async fn update(
        &self,
        collection: &str,
        id: Option<&str>,
        request: Request,
    ) -> Result<Response, Error> {
        self.send(request, |state| {
            let leader = id.and_then(|id| state.leader(collection, id));
            let replicas = state.shards(collection).into_iter().flat_map(|shard| &shard.replicas);
            let leaders = replicas.filter(|replica| replica.leads).map(|replica| replica.url.clone());
            leader.map_or_else(|| leaders.collect(), |leader| vec![leader.clone()])
        })
        .await
    }

    pub fn metrics(&self) -> MetricsSnapshot {
        self.shared.transport.metrics()
    }

    /// `targets` says which nodes of a state suit. Where none does, or none could be reached, the state may
    /// be old: it is asked for once more. What a server may have seen is not sent again here.
    async fn send(
        &self,
        request: Request,
        targets: impl Fn(&ClusterState) -> Vec<SolrUrl>,
    ) -> Result<Response, Error> {
        let mut age_max = STATE_AGE_MAX;
        loop {
            let (state, is_last) = (self.shared.state(age_max).await?, age_max == STATE_AGE_MIN);
            let urls = self.shared.with_login(targets(&state));
            let sent = match urls.is_empty() {
                true => Err(Error::NoEndpoint("no live node has such a collection, or nobody leads it")),
                false => self.shared.transport.send(&request.clone().only(urls)).await,
            };
            match sent {
                Err(error) if error.kind() == ErrorKind::RetryLater && !is_last => age_max = STATE_AGE_MIN,
                sent => return sent,
            }
        }
    }
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
        let replicas = state.collections.values().flatten().flat_map(|shard| &shard.replicas);
        let urls: BTreeSet<String> = replicas.map(|replica| replica.url.to_string()).collect();
        let urls = self.with_login(urls.iter().filter_map(|url| url.parse().ok()).collect());
        self.nodes.0.send_replace(urls.into_iter().map(Endpoint::from).collect());
        *known = Some(Known { state: state.clone(), since: Instant::now() });
        Ok(state)
    }

    fn with_login(&self, urls: Vec<SolrUrl>) -> Vec<SolrUrl> {
        urls.into_iter().map(|url| url.with_login(self.login.clone())).collect()
    }
}

impl fmt::Debug for CloudClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudClient").finish_non_exhaustive()
    }
}
