//! `doctor cluster`: what of a SolrCloud, a single Solr or a Parhelion will hurt next, by the admin API of
//! its nodes. Asked by [`ask`], read into facts by pure functions, judged by [`lint`]; the finding's form is
//! the one of [`host`](crate::host).

mod ask;
mod certificates;
mod facts;
mod fingerprint;
mod lints;
mod options;
mod read;
mod replicas;
mod untold;

pub use ask::ask;
pub use facts::{
    CertificateFacts, ClockFacts, ClockRead, ClusterFacts, CollectionFacts, DiskFacts, LogLine, NodeFacts,
    ReplicaFacts, ReplicaKind, ShardFacts,
};
pub use lints::lint;
pub use options::ClusterOptions;
pub(crate) use read::signs;

/// Reads `bytes` as each answer of the admin API, and as a certificate. Never panics.
pub(crate) fn read_anything(bytes: &[u8]) {
    let mut facts = ClusterFacts {
        certificates: certificates::read("", bytes).into_iter().collect(),
        ..ClusterFacts::default()
    };
    if let Ok(answer) = serde_json::from_slice(bytes) {
        read::all(&mut facts, &answer);
        read::all(&mut facts, &answer);
    }
    let _ = lint(&facts);
    let _ = untold::untold(&facts);
}
