//! Where the state of a cluster comes from: the face of all sources, a state that stays as it is, and any
//! node's `CLUSTERSTATUS`. When a state is asked for anew is its user's. Reading the state out of an answer
//! is `state.rs`'s, ZooKeeper as a source `zookeeper/`; when to ask is `roles/cloud.rs`'s: after some time,
//! and when a request fails.

use std::future::Future;
use std::pin::Pin;

use super::state::ClusterState;
use crate::balance::EndpointSource;
use crate::error::Error;
use crate::options::ClientOptions;
use crate::request::Request;
use crate::transport::Transport;

/// Where the state of a cluster comes from.
pub trait ClusterStateSource: Send + Sync {
    /// The present state.
    fn fetch(&self) -> Fetching<'_>;
}

pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<ClusterState, Error>> + Send + 'a>>;

/// A state that stays as it is.
impl ClusterStateSource for ClusterState {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(async { Ok(self.clone()) })
    }
}

/// Asks any of these servers.
pub struct HttpClusterState {
    transport: Transport,
}

impl HttpClusterState {
    pub fn new(servers: &dyn EndpointSource, options: ClientOptions) -> Self {
        Self { transport: Transport::new(servers, options) }
    }
}

impl ClusterStateSource for HttpClusterState {
    fn fetch(&self) -> Fetching<'_> {
        let request =
            Request::get("admin/collections", &[("action", "CLUSTERSTATUS"), ("wt", "json")]).safe();
        Box::pin(async move { ClusterState::parse(&self.transport.send(&request).await?.ok()?.json()?) })
    }
}
