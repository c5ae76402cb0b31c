//! The protocol by which many nodes share one shard, as models that are searched exhaustively (ADR 12).
//!
//! Each module is one small model: what it leaves out, another one holds. A model's `Rules` are the sentences
//! of the protocol; each names the promise that breaks without it, and a test takes it away and demands that
//! break. Nothing here is run by the server: `store`, `engine` and `cluster` implement what these models show
//! to be needed. Small models run as tests, larger ones by `cargo run --release -p model -- --large`.

mod check;
mod promise;
mod rules;

pub mod append;
pub mod assign_collection;
pub mod assign_shards;
pub mod change_schema;
pub mod collect_garbage;
pub mod drop_collection;
pub mod drop_shards;
pub mod follow_leader;
pub mod freshness;
pub mod live_members;
pub mod metadata;
pub mod publish_view;
pub mod read_published;
pub mod rebuild_shards;
pub mod resend;
pub mod split;
pub mod takeover;

pub use check::{Counterexample, Explored, ProtocolModel, Scenario, counterexample, explore};
pub use promise::Promise;
pub use rules::{Removal, RuleSet};

/// Every model, in the order in which a reader should meet them.
#[must_use]
pub fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::of::<append::Append>(),
        Scenario::of::<takeover::Takeover>(),
        Scenario::of::<resend::Resend>(),
        Scenario::of::<freshness::Freshness>(),
        Scenario::of::<collect_garbage::CollectGarbage>(),
        Scenario::of::<read_published::ReadPublished>(),
        Scenario::of::<follow_leader::FollowLeader>(),
        Scenario::of::<metadata::Metadata>(),
        Scenario::of::<live_members::LiveMembers>(),
        Scenario::of::<publish_view::PublishView>(),
        Scenario::of::<assign_collection::AssignCollection>(),
        Scenario::of::<assign_shards::AssignShards>(),
        Scenario::of::<change_schema::ChangeSchema>(),
        Scenario::of::<drop_collection::DropCollection>(),
        Scenario::of::<drop_shards::DropShards>(),
        Scenario::of::<rebuild_shards::RebuildShards>(),
        Scenario::of::<split::Split>(),
    ]
}
