//! What it takes to make a collection, and the checks that need no node.

use plan::{CollectionConfig, Error, Result, SchemaSource, check_name};

/// A collection to be made. Schema and config are copies: later changes to the configset leave it as it is.
#[derive(Clone, Debug)]
pub struct CreateCollection {
    pub name: String,
    /// How clients address the one replica. `None` is the name of a cloud's first replica of the first shard.
    pub core_name: Option<String>,
    /// Where schema and config came from, for display.
    pub configset: String,
    pub schema: SchemaSource,
    pub config: CollectionConfig,
    pub shard_count: usize,
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
            shard_count: 1,
        }
    }

    /// The name of the core, given or by Solr's rule.
    pub(crate) fn core(&self) -> String {
        self.core_name.clone().unwrap_or_else(|| format!("{}_shard1_replica_n1", self.name))
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_name("collection", &self.name)?;
        check_name("core", &self.core())?;
        match self.shard_count {
            1 => Ok(()),
            0 => Err(Error::bad_request("numShards must be > 0")),
            count => Err(Error::bad_request(format!(
                "cannot create `{}`: `numShards` is `{count}`, more than one shard is not supported; use 1",
                self.name
            ))),
        }
    }
}
