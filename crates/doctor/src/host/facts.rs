//! What was measured of a host. Absent is what could not be read; a lint without its fact is silent. Filled
//! by `measure.rs` and what it calls, in some seconds at most; judged by `lints/`. Plain data with serde,
//! since a bundle holds them, and a server sends them to whoever asks for `admin/doctor`.

use serde::{Deserialize, Serialize};

use crate::facts::ProcessLabel;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    pub memory_bytes: Option<u64>,
    pub swap_bytes: Option<u64>,
    pub swap_used_bytes: Option<u64>,
    pub swappiness: Option<u64>,
    /// Of this process, as children of this shell will have it: soft, hard.
    pub files_max: Option<(u64, u64)>,
    pub maps_max: Option<u64>,
    /// Processes that have used four fifths of what each may have.
    #[serde(default)]
    pub near_limits: Vec<NearLimit>,
    pub threads_max: Option<u64>,
    pub threads: Option<u64>,
    /// The chosen word of `transparent_hugepage/enabled`.
    pub huge_pages: Option<String>,
    pub clock_source: Option<String>,
    /// Of one reading of the clock.
    pub clock_read_ns: Option<u64>,
    /// Against a time server, where one was named.
    pub clock_offset: Option<ClockOffset>,
    pub entropy_bits: Option<u64>,
    pub kernel: Option<(u32, u32)>,
    pub keepalive_seconds: Option<u64>,
    pub ports: Option<(u16, u16)>,
    /// Of these, local ports of connections to the peer that has most of them, with the peer.
    pub ports_used: Option<(u64, String)>,
    /// Connections that the peer has closed and the process has not: process, before and after the pause.
    pub close_wait: Vec<(String, u64, u64)>,
    /// Services that listen on one family while `localhost` means the other first: port, family that listens.
    pub family_mismatches: Vec<(u16, String)>,
    pub sync: Option<SyncTimes>,
    /// Of the group that this shell runs in.
    pub cgroup_memory_bytes: Option<u64>,
    pub numa_nodes: Option<u64>,
    pub zone_reclaim: Option<u64>,
    /// Threads of the group that this shell runs in, and how many it may have.
    #[serde(default)]
    pub cgroup_threads: Option<(u64, u64)>,
    pub java: Vec<JavaProcess>,
    #[serde(default)]
    pub parhelion: Vec<ParhelionProcess>,
    pub zookeeper: Vec<ZooKeeperFacts>,
    /// What was asked for and could not be measured, with the reason.
    #[serde(default)]
    pub unmeasured: Vec<String>,
}

/// A process that is near a limit of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearLimit {
    pub process: ProcessLabel,
    pub kind: LimitKind,
    pub used: u64,
    pub most: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    OpenFiles,
    MemoryMaps,
}

/// This host's clock against that of a time server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockOffset {
    pub server: String,
    /// Negative where this clock is behind.
    pub ahead_ms: i64,
    /// Of the way there and back: half of it is what the offset may be wrong by.
    pub delay_ms: u64,
}

/// Writing 4 KiB and waiting for the disk, over and over, in the data folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncTimes {
    pub folder: String,
    pub count: usize,
    pub p50_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JavaProcess {
    pub pid: i32,
    /// Its main class or jar.
    pub name: String,
    pub heap_max_bytes: Option<u64>,
    pub prefers_ipv4: bool,
    /// Of its own group.
    pub cgroup_memory_bytes: Option<u64>,
}

/// A server of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParhelionProcess {
    pub pid: i32,
    /// What `--memory-max` allows it; absent where it goes by the group and the machine.
    pub memory_max_bytes: Option<u64>,
    /// Of its own group.
    pub cgroup_memory_bytes: Option<u64>,
}

/// One server of an ensemble, by its own words: four-letter words where it allows them, its configuration
/// file, its log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ZooKeeperFacts {
    pub server: String,
    pub state: Option<ServerState>,
    pub tick_ms: Option<u64>,
    pub init_limit: Option<u64>,
    pub sync_limit: Option<u64>,
    /// Of a client's session, the shortest that the server agrees to; twice the tick where nothing else is
    /// set.
    pub session_min_ms: Option<u64>,
    pub client_connections_max: Option<u64>,
    /// Hours; 0 is never.
    pub purge_interval_hours: Option<u64>,
    /// Servers that vote.
    pub voters: Option<u64>,
    pub latency_ms: Option<(f64, u64)>,
    pub connections: Option<u64>,
    pub data_folder: Option<String>,
    /// From its log: how often it waited long for its disk, and the longest.
    pub slow_syncs: Option<(u64, u64)>,
    /// From its log: how often too few followers were in step.
    pub not_enough_followers: u64,
    /// What was asked for and refused or absent.
    pub unseen: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerState {
    Leader,
    Follower,
    Observer,
    Standalone,
}
