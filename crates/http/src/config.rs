//! The limits of a server and what it offers to new collections.
//!
//! Filled by the binary from its command line, then read and never changed. Whatever a server must not take
//! from its surroundings is handed in here: memory and machine figures, the log, UUIDs, who may do what.
//! Limits of a collection are its own config's, not in here.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use cluster::BackupRoot;
use solr::security::Security;

use crate::admission::gate::GateLimits;
use crate::admission::objective::{Objective, UpdateShare};
use crate::configsets::Configsets;
use crate::members::Forward;
use crate::observe::host::HostNotes;
use crate::observe::logs::{Logs, NoLogs};
use crate::observe::machine::MachineFacts;
use crate::observe::query_log::QueryLog;
use crate::observe::store::StoreFigures;
use crate::observe::watch::NodeWatch;
use crate::public_view::PublicView;
use crate::request::compress::Compress;

#[derive(Clone)]
pub struct ServeConfig {
    /// Longer request bodies are refused with 413; of an update, longer documents.
    pub body_bytes_max: usize,
    /// Request line and headers together; beyond it, 431. A target longer than 65,534 bytes is answered with
    /// 414.
    pub header_bytes_max: usize,
    /// A client must send its headers within this time, and may keep an idle connection as long. Solr's own
    /// idle time by default, so that clients tuned for it never find a pooled connection closed early.
    pub header_timeout: Duration,
    /// A client must send the next part of its body within this time.
    pub body_idle_timeout: Duration,
    /// Beyond that, a body must bring this much in a second on average, so that no client can drip one for
    /// days.
    pub body_rate_min: u64,
    /// A client must take the next part of an answer within this time.
    pub write_idle_timeout: Duration,
    /// On HTTP/2 an idle client is asked whether it is there this often, and must answer before the time is
    /// over again.
    pub ping_interval: Duration,
    /// More connections wait until one closes.
    pub connections_max: usize,
    /// Searches and their like. At once by default: enough that a few long searches leave room for the short
    /// ones, few enough that those that run do not slow each other down without end.
    pub queries: GateLimits,
    pub updates: GateLimits,
    /// What updates give way to, beyond those bounds; `None` is nothing.
    pub objective: Option<Objective>,
    /// How collections share what the objective leaves for updates; those that are not named have 1 each.
    pub update_shares: Vec<UpdateShare>,
    /// How much of an update's body is indexed at a time: so much that the costs of a batch do not count, so
    /// little that many can be under way.
    pub piece_bytes: usize,
    /// What the bodies of all requests together may take, packed and unpacked.
    pub bodies_bytes_max: usize,
    /// What a request with a query may send in its body: parameters as a form, or JSON.
    pub query_bytes_max: usize,
    /// What a request may take of the memory, as far as it is counted: for hits, their documents, counts.
    pub request_bytes_max: u64,
    /// The share of the memory that may be used, from 0 to 1 and beyond, that is. It is asked some times a
    /// second.
    pub memory_used: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// Which clients' answers are packed.
    pub compress: Compress,
    /// Shorter ones never are: they fit in a packet or two as they are. Jetty's bound within Solr is near it.
    pub compress_bytes_min: usize,
    /// How long open requests may take to end after the shutdown signal.
    pub drain_timeout: Duration,
    /// What kept answers may hold; 0 keeps none.
    pub answer_bytes_max: u64,
    /// Requests that take as long are logged; `None` logs none but where a collection says
    /// so.
    pub slow_ms: Option<u64>,
    /// Takes a record of each search; `None` keeps none.
    pub query_log: Option<Arc<dyn QueryLog>>,
    /// Parameters that are left out of those records, by name.
    pub query_log_left_out: Vec<String>,
    pub configsets: Configsets,
    /// The only folder or bucket below which backups are made and found; without one there are none.
    pub backup_dir: Option<BackupRoot>,
    /// The log that requests may look at and change.
    pub logs: Arc<dyn Logs>,
    /// What the process and its machine say of themselves.
    pub machine: Arc<dyn Fn() -> MachineFacts + Send + Sync>,
    /// What was asked of the object store; `None` where shards are at home on a disk.
    pub store: Arc<dyn Fn() -> Option<StoreFigures> + Send + Sync>,
    /// Where clients find this node's collections beside here; `None`: nowhere.
    pub view: Option<Arc<dyn PublicView>>,
    /// Reaches the other members of the cluster; `None` where this node is all of it.
    pub forward: Option<Arc<dyn Forward>>,
    /// What of the host will hurt next, measured when a request asks.
    pub host_notes: HostNotes,
    /// What is stuck in the node at the moment: seen by whoever calls its looks, shown to requests.
    pub watch: Arc<NodeWatch>,
    /// Whether the node only reads what another owns: changes are refused, whoever asks for them.
    pub read_only: bool,
    /// Who may do what; `None` lets everybody do everything.
    pub security: Option<Arc<Security>>,
    /// How often one user may fail to log in from one address within five minutes, and an address ten times
    /// as often, before no more is looked at. 0: as often as they like.
    pub log_in_failures_max: u32,
    /// Makes a random UUID in lower case, for documents that come without an id.
    pub new_uuid: Arc<dyn Fn() -> String + Send + Sync>,
}

impl ServeConfig {
    /// The usual limits. Randomness is handed in, as time is by the node.
    pub fn new(configsets: Configsets, new_uuid: Arc<dyn Fn() -> String + Send + Sync>) -> Self {
        Self {
            body_bytes_max: 512 << 20,
            header_bytes_max: 128 << 10,
            header_timeout: Duration::from_secs(120),
            body_idle_timeout: Duration::from_secs(60),
            body_rate_min: 1 << 10,
            write_idle_timeout: Duration::from_secs(60),
            ping_interval: Duration::from_secs(60),
            connections_max: 20_000,
            queries: GateLimits {
                at_once: (cores() * 8).max(16),
                at_once_pressed: cores(),
                waiting_max: 1024,
                patience: Duration::from_millis(250),
            },
            updates: GateLimits {
                at_once: 256,
                at_once_pressed: 256,
                waiting_max: 1024,
                patience: Duration::from_secs(10),
            },
            objective: None,
            update_shares: Vec::new(),
            piece_bytes: 1 << 20,
            bodies_bytes_max: 1 << 30,
            query_bytes_max: 16 << 20,
            request_bytes_max: 512 << 20,
            memory_used: Arc::new(|| 0.0),
            compress: Compress::default(),
            compress_bytes_min: 2048,
            drain_timeout: Duration::from_secs(30),
            answer_bytes_max: 64 << 20,
            slow_ms: Some(1000),
            query_log: None,
            query_log_left_out: Vec::new(),
            configsets,
            backup_dir: None,
            logs: Arc::new(NoLogs),
            machine: Arc::new(MachineFacts::default),
            store: Arc::new(|| None),
            view: None,
            forward: None,
            host_notes: Arc::new(|| Some(Vec::new())),
            watch: Arc::default(),
            read_only: false,
            security: None,
            log_in_failures_max: 10,
            new_uuid,
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(4, NonZero::get)
}

impl fmt::Debug for ServeConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeConfig").field("configsets", &self.configsets).finish_non_exhaustive()
    }
}
