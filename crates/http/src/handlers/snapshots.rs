//! Snapshots of cores and collections: the same ones, in Solr's shape for each.
//!
//! In: a call to either of the two older paths; out: snapshots that the collection keeps in its own folder
//! (`crates/cluster/src/collection/snapshots.rs`). Errors have the words of the path that was asked.

use std::sync::Arc;

use cluster::{Collection, SnapshotFacts};
use plan::{Error, Result};
use solr::params::Param;
use solr::params::admin::{collections, cores};
use solr::response::{Entries, Name, Node};

use crate::request::call::Call;

/// Which of the older API's two paths asks.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Core,
    Collection,
}

impl Of {
    fn find(self, call: &Call<'_>) -> Result<(String, Arc<Collection>)> {
        let name = call.required(&self.param())?;
        let found = call.server.node.find(name).ok_or_else(|| match self {
            Self::Core => Error::bad_request(format!("Unable to locate core {name}")),
            Self::Collection => {
                Error::bad_request(format!("Collection '{name}' does not exist, no action taken."))
            }
        })?;
        Ok((name.to_owned(), found))
    }

    fn param(self) -> Param<String> {
        match self {
            Self::Core => cores::CORE,
            Self::Collection => collections::COLLECTION,
        }
    }
}

pub(super) async fn create(call: &Call<'_>, of: Of) -> Result<Entries> {
    let name = call.required(&collections::SNAPSHOT)?;
    let (asked, collection) = of.find(call)?;
    let facts = collection.create_snapshot(&call.server.node, name).await?;
    let mut entries: Entries = vec![
        (of.param().name.into(), Node::from(asked)),
        ("snapshotName".into(), Node::from(facts.name.clone())),
    ];
    match of {
        Of::Core => entries.extend(
            place(&facts).into_iter().chain([files(facts.shards.iter().flat_map(|(_, names)| names))]),
        ),
        Of::Collection => {}
    }
    Ok(entries)
}

pub(super) async fn list(call: &Call<'_>, of: Of) -> Result<Entries> {
    let (_, collection) = of.find(call)?;
    let shown = |facts: SnapshotFacts| {
        let node = match of {
            Of::Core => place(&facts),
            Of::Collection => whole(&facts, &collection),
        };
        (Name::Owned(facts.name), Node::Map(node))
    };
    let snapshots = collection.snapshots().await?.into_iter().map(shown).collect();
    Ok(vec![("snapshots".into(), Node::Map(snapshots))])
}

/// One that is not there is as good as deleted, as in Solr.
pub(super) async fn delete(call: &Call<'_>, of: Of) -> Result<Entries> {
    let name = call.required(&collections::SNAPSHOT)?;
    let (asked, collection) = of.find(call)?;
    collection.delete_snapshot(name).await?;
    Ok(vec![
        (of.param().name.into(), Node::from(asked)),
        ("snapshotName".into(), Node::from(name.to_owned())),
    ])
}

fn place(facts: &SnapshotFacts) -> Entries {
    vec![
        ("indexDirPath".into(), Node::from(facts.folder.display().to_string())),
        ("generation".into(), Node::long(facts.generation)),
    ]
}

fn files<'a>(names: impl Iterator<Item = &'a String>) -> (Name, Node) {
    ("files".into(), Node::Array(names.cloned().map(Node::from).collect()))
}

/// With what each replica keeps, of which each shard has one.
fn whole(facts: &SnapshotFacts, collection: &Collection) -> Entries {
    let documents = collection.shard_documents();
    let replica = |(shard, names): &(String, Vec<String>)| {
        let known = documents.iter().find(|document| document.name == *shard);
        let core = known.map(|document| document.core.clone()).unwrap_or_default();
        let mut replica: Entries = vec![
            ("core".into(), Node::from(core.clone())),
            ("shardId".into(), Node::from(shard.clone())),
            ("leader".into(), Node::Bool(true)),
        ];
        replica.extend(place(facts));
        replica.push(files(names.iter()));
        (Name::Owned(core), Node::Map(replica))
    };
    vec![
        ("name".into(), Node::from(facts.name.clone())),
        ("status".into(), Node::str("Successful")),
        ("creationDate".into(), Node::Date(facts.created_ms)),
        ("replicas".into(), Node::Map(facts.shards.iter().map(replica).collect())),
    ]
}
