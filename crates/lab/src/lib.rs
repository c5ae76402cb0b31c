//! The benchmark lab: seeded workloads with known answers, load over plain HTTP, statistics, reports. An
//! outside client: it knows a URL and Solr's API, nothing else, so that it cannot bend what it measures.
//! `docs/lab.md` says how it measures and why.

mod checksum;
mod compression;
mod error;
mod hold;
mod jitter;
mod load;
mod museum;
mod overload;
mod peer;
mod random;
pub mod relevance;
mod replay;
mod replicas;
mod report;
mod run;
mod side;
mod stale;
mod statistics;
mod store_home;
#[cfg(test)]
mod testing;
mod throttle;
mod verdict;
mod workload;

pub use compression::{Packing, PackingFigures, PackingOptions, compression};
pub use error::Error;
pub use hold::{Held, HoldOptions, hold};
pub use jitter::{
    Company, Counts, Jitter, JitterArm, JitterBucket, JitterOptions, JitterSeams, JitterWork, PieceMean,
    ServerAsked, Tail, jitter,
};
pub use load::{Arrivals, Shape};
pub use museum::{FieldReport, LastFigure, Ours, REPORTS};
pub use overload::{OverloadOptions, Overloaded, overload};
pub use peer::{SolrOptions, down, up};
pub use replay::{Change, changes};
pub use replicas::{Replicas, ReplicasCompared, ReplicasOptions, ReplicasTraffic, replicas};
pub use report::{html, jitter_html, read_run, tail_cause, verdict_word};
pub use run::*;
pub use side::Side;
pub use stale::{LongIdleFigures, LongIdleOptions, Stale, StaleArm, StaleFigures, StaleOptions, stale_check};
pub use statistics::Interval;
pub use store_home::{
    StoreLatency, StoreMeasured, StoreOptions, StoreTail, StoreTakeOver, StoreUpdates, store_measured,
    store_tail, store_takeover, store_updates,
};
pub use throttle::{
    ThrottleBaseline, ThrottleFigures, ThrottleOptions, Throttled, throttle, throttle_baseline,
};
pub use verdict::BoundVerdict;
pub use workload::{Claim, ClaimTest, WorkloadFacts, workloads};
