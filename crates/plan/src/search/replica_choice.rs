//! Which replica of each shard a request would rather be answered by, where several have it. Any of them may
//! answer all the same: what is preferred and does not answer is passed over. In: Solr's `shards.preference`
//! and the like, read by `solr`; out: an order, which `cluster` makes of the replicas that there are.

/// What is preferred, the most important first, and in which order those are asked that are equal by that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplicaChoice {
    pub rules: Vec<ReplicaRule>,
    pub equals: EqualReplicas,
}

/// What a preferred replica is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaRule {
    /// It is on the node that gathers the answer.
    Here,
    /// Its address, as clients see it (`http://host:port/solr/core`), begins so.
    Location(String),
    /// Of this kind, in Solr's words.
    Kind(String),
    Leads(bool),
    /// Its node says that it is in this zone.
    Zone(String),
    /// Its node says the same zone as the one that gathers the answer.
    SameZone,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EqualReplicas {
    /// The one that is here, else the leader.
    #[default]
    Nearest,
    /// Turned by this number, so that requests with the same number ask the same.
    Turned(u64),
}

impl ReplicaChoice {
    /// Whether nothing is preferred.
    pub fn is_free(&self) -> bool {
        self.rules.is_empty() && self.equals == EqualReplicas::Nearest
    }
}
