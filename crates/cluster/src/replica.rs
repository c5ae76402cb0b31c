//! Replicas of a shard, as clients know them: which kinds there are, how many of each a shard is asked to
//! have, and by which names and numbers they go. Who has which is in `member`.
//!
//! All kinds are kept alike: whoever follows takes up what its leader shows (ADR 23). A kind says whether the
//! replica may lead, and what clients prefer to ask.

use serde::{Deserialize, Serialize};

use crate::routing::ShardDocument;

/// Solr's kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplicaKind {
    #[default]
    Nrt,
    Tlog,
    /// Never leads.
    Pull,
}

impl ReplicaKind {
    pub const ALL: [Self; 3] = [Self::Nrt, Self::Tlog, Self::Pull];

    /// As Solr spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nrt => "NRT",
            Self::Tlog => "TLOG",
            Self::Pull => "PULL",
        }
    }

    /// In names of cores.
    fn letter(self) -> char {
        match self {
            Self::Nrt => 'n',
            Self::Tlog => 't',
            Self::Pull => 'p',
        }
    }

    pub(crate) fn may_lead(self) -> bool {
        self != Self::Pull
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::Nrt
    }
}

/// How many replicas of each kind a shard is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaCounts {
    pub nrt: usize,
    pub tlog: usize,
    pub pull: usize,
}

impl Default for ReplicaCounts {
    /// The one that leads.
    fn default() -> Self {
        Self { nrt: 1, tlog: 0, pull: 0 }
    }
}

impl ReplicaCounts {
    pub fn total(self) -> usize {
        self.nrt.saturating_add(self.tlog).saturating_add(self.pull)
    }

    /// The kind of the one that leads first.
    pub(crate) fn leads(self) -> ReplicaKind {
        if self.nrt > 0 { ReplicaKind::Nrt } else { ReplicaKind::Tlog }
    }

    /// Those of all others.
    pub(crate) fn follow(self) -> impl Iterator<Item = ReplicaKind> {
        let counts = [self.nrt, self.tlog, self.pull].into_iter();
        let all = ReplicaKind::ALL.into_iter().zip(counts).flat_map(|(kind, n)| std::iter::repeat_n(kind, n));
        all.skip(1)
    }
}

/// Which of a shard's replicas one is, whoever has it. It keeps this when it becomes the one that leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReplicaIdentity {
    /// 0 is the one that the shard was made with and that its document names.
    pub number: u32,
    #[serde(default, skip_serializing_if = "ReplicaKind::is_plain")]
    pub kind: ReplicaKind,
}

/// A replica of a shard, by the names that clients have for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    pub core: String,
    /// N of Solr's `core_nodeN`.
    pub node_number: u32,
    pub kind: ReplicaKind,
}

/// Numbers of replicas that came after the first begin behind those of the first, of which a collection never
/// has as many.
const LATER_NUMBERS: u32 = 1_000;

impl Replica {
    pub(crate) fn of(collection: &str, shard: &ShardDocument, identity: ReplicaIdentity) -> Self {
        let ReplicaIdentity { number, kind } = identity;
        if number == 0 {
            return Self { core: shard.core.clone(), node_number: shard.node_number, kind };
        }
        let node_number = number.saturating_add(LATER_NUMBERS);
        Self { core: core_name(collection, &shard.name, (node_number, kind)), node_number, kind }
    }

    /// Solr's other name of it.
    pub fn node_name(&self) -> String {
        format!("core_node{}", self.node_number)
    }
}

/// Solr's name of a replica, by its number in the collection and its kind.
pub(crate) fn core_name(collection: &str, shard: &str, (number, kind): (u32, ReplicaKind)) -> String {
    format!("{collection}_{shard}_replica_{}{number}", kind.letter())
}
