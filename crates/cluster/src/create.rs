//! What it takes to make a collection, and the checks that need no node: names, counts, hash ranges, routers.
//! Which names are taken and where folders are made is the node's (`crates/cluster/src/node`). The request
//! comes from `http` already parsed; out go documents of shards for the catalogue, in which a collection of
//! one shard looks as it did before there were several, so that older releases can read it.

use std::collections::BTreeSet;

use plan::{CollectionConfig, Error, Result, SchemaSource, check_name};

use crate::collection_documents::FIRST_SHARD;
use crate::replica::{ReplicaCounts, core_name};
use crate::routing::{HashRange, Router, RouterKind, ShardDocument};

/// More are of no use on one machine, and each has threads' worth of files open.
pub(crate) const SHARDS_MAX: usize = 64;

const SHARD_NAME_BYTES_MAX: usize = 150;

/// A collection to be made. Schema and config are copies: later changes to the configset leave it as it is.
#[derive(Clone, Debug)]
pub struct CreateCollection {
    pub name: String,
    /// How clients address the one replica of one shard. `None` is the name that a cloud's replica has.
    pub core_name: Option<String>,
    /// Where schema and config came from, for display.
    pub configset: String,
    pub schema: SchemaSource,
    pub config: CollectionConfig,
    pub shards: Sharding,
    /// The members that its shards are spread over, by name; over all that live where none is named.
    pub nodes: Vec<String>,
    /// Of each shard, on as many members.
    pub replicas: ReplicaCounts,
}

/// Which shards there are to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharding {
    /// This many that share all hashes evenly, of ids or of a field's values.
    Hashed { count: usize, field: Option<String> },
    /// Of these names; where a document lies its sender says, or a field.
    Named { names: Vec<String>, field: Option<String> },
}

impl Sharding {
    /// One shard.
    pub const ONE: Self = Self::Hashed { count: 1, field: None };

    pub(crate) fn router(&self) -> Router {
        let (kind, field) = match self {
            Self::Hashed { field, .. } => (RouterKind::CompositeId, field),
            Self::Named { field, .. } => (RouterKind::Implicit, field),
        };
        Router { kind, field: field.clone() }
    }

    fn count(&self) -> usize {
        match self {
            Self::Hashed { count, .. } => *count,
            Self::Named { names, .. } => names.len(),
        }
    }

    /// The shards' names and what of all hashes is theirs.
    fn names_and_ranges(&self) -> Vec<(String, Option<HashRange>)> {
        match self {
            Self::Hashed { count, .. } => {
                let ranges = HashRange::ALL.cut(u32::try_from(*count).unwrap_or(1)).into_iter().enumerate();
                ranges.map(|(at, range)| (format!("shard{}", at + 1), Some(range))).collect()
            }
            Self::Named { names, .. } => {
                let mut seen = BTreeSet::new();
                let once = names.iter().filter(|name| seen.insert(name.as_str()));
                once.map(|name| (name.clone(), None)).collect()
            }
        }
    }
}

impl CreateCollection {
    /// One shard on this node.
    pub fn new(name: &str, configset: &str, schema: SchemaSource, config: CollectionConfig) -> Self {
        Self {
            name: name.to_owned(),
            core_name: None,
            configset: configset.to_owned(),
            schema,
            config,
            shards: Sharding::ONE,
            nodes: Vec::new(),
            replicas: ReplicaCounts::default(),
        }
    }

    /// The shards with their cores, which are called as they are given or by Solr's rule. Solr gives replicas
    /// their numbers in whatever order; here it is that of the shards.
    pub(crate) fn shard_documents(&self) -> Vec<ShardDocument> {
        let shards = self.shards.names_and_ranges();
        let (count, leads) = (u32::try_from(shards.len()).unwrap_or(u32::MAX), self.replicas.leads());
        let document = |(number, (name, range)): (u32, (String, Option<HashRange>))| ShardDocument {
            core: self.core_name.clone().unwrap_or_else(|| core_name(&self.name, &name, (number, leads))),
            name,
            node_number: count + number,
            range,
        };
        (1..).zip(shards).map(document).collect()
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_name("collection", &self.name)?;
        match self.shards.count() {
            0 => return Err(Error::bad_request("numShards must be > 0")),
            1..=SHARDS_MAX => {}
            count => {
                return Err(Error::bad_request(format!(
                    "cannot create `{}` with `{count}` shards; use at most {SHARDS_MAX}",
                    self.name
                )));
            }
        }
        let documents = self.shard_documents();
        for shard in &documents {
            check_name("shard", &shard.name)?;
            // A folder is called so, with what says of which edition it is.
            if shard.name.len() > SHARD_NAME_BYTES_MAX {
                let message = format!(
                    "the shard name `{}` is too long; use at most {SHARD_NAME_BYTES_MAX} characters",
                    shard.name
                );
                return Err(Error::bad_request(message));
            }
            check_name("core", &shard.core)?;
        }
        match (documents.len(), &self.core_name) {
            (2.., Some(_)) => Err(Error::bad_request("a core has one shard")),
            _ => Ok(()),
        }
    }
}

/// Whether this is all that a document without shards says.
pub(crate) fn is_plain(router: &Router, shards: &[ShardDocument]) -> bool {
    let first = |shard: &ShardDocument| shard.name == FIRST_SHARD && shard.range == Some(HashRange::ALL);
    *router == Router::default() && matches!(shards, [only] if first(only))
}
