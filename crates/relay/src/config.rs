//! How a relay behaves: what it takes from applications, which is fixed while it runs, and where it sends it,
//! which may change. Read by whoever starts it; nothing is taken from files or the environment here.
//! `parhelion relay` reads flags, environment and a TOML file into it, and reads the file again when it is
//! told to: then only the servers may be others.

use std::time::Duration;

use client::{ClientOptions, Endpoint, Login, ZooKeeperState};
use serde_json::Value;

use crate::cache::CacheConfig;

/// What is taken from applications.
#[derive(Clone, Debug)]
pub struct RelayLimits {
    /// Longer bodies are refused with 413: each is held as a whole, so that it can be packed, and offered to
    /// another server where the first cannot be reached.
    pub body_bytes_max: usize,
    /// Of all bodies together; beyond it, 429.
    pub bodies_bytes_max: usize,
    /// More connections wait until one closes.
    pub connections_max: usize,
    /// How long a connection may ask nothing, and how long the head of a request may take.
    pub idle_max: Duration,
    /// For the next part of a request's body, and for an application to take the next part of an answer.
    pub stall_max: Duration,
    /// For requests under way when the relay stops.
    pub drain_max: Duration,
}

impl Default for RelayLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 512 << 20,
            bodies_bytes_max: 1 << 30,
            connections_max: 20_000,
            // Longer than any client's own, so that none ever meets a connection that is just closing.
            idle_max: Duration::from_secs(600),
            stall_max: Duration::from_secs(60),
            drain_max: Duration::from_secs(30),
        }
    }
}

/// Where requests go.
#[derive(Clone, Debug)]
pub struct UpstreamConfig {
    /// At least one, unless ZooKeeper is asked.
    pub servers: Vec<Endpoint>,
    /// Zones of a cluster's nodes, which its state does not tell; servers that are named among them.
    pub zoned: Vec<Endpoint>,
    /// Tells the cluster's state and its live nodes, instead of the servers.
    pub zookeeper: Option<ZooKeeperState>,
    /// Whether they are asked for the cluster's state, by which reads go to replicas and updates to leaders.
    pub cloud: bool,
    /// Said to every server, unless the application says who it is itself.
    pub login: Option<Login>,
    pub options: ClientOptions,
    /// Answers that are kept; none without it.
    pub cache: Option<CacheConfig>,
    /// Whether every read shows what was written through this relay before, also without a token.
    pub shows_own_writes: bool,
    /// Tells the tokens that are given under this configuration from all others: no relay has it twice.
    pub instance: u64,
    /// The field whose values are documents' ids.
    pub id_field: String,
    /// All of it for people, as `/relay/config` shows it. Without secrets.
    pub shown: Value,
}
