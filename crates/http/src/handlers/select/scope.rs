//! What a search is resolved against: schema, analyzers, limits and names of its collection, and the other
//! collections that its sender may search.
//!
//! In: a call and its collection, as they are when the request is taken up; out: the context that `solr`
//! resolves by. Every handler that reads a query takes it from here. A resolved plan names the schema's
//! version, so a schema that changes meanwhile is noticed by the shard.

use std::sync::Arc;

use cluster::{Collection, Node, ShardDocument, VersionedSchema};
use plan::{CollectionConfig, Component};
use solr::query::{Names, OtherSchema, Others, SchemaAnalyzers};
use solr::select::{FieldList, HandlerElevation, ResolveContext, ShardNames};

use crate::handlers::permit::Permit;
use crate::request::call::Call;
use crate::security::Access;

/// Says what shards are called, where it is shown of which each document is.
pub(in crate::handlers) fn name_shards(fields: &mut FieldList, shards: impl FnOnce() -> Vec<ShardDocument>) {
    if fields.names_shards() {
        let names = |it: ShardDocument| ShardNames { shard: it.name, core: it.core };
        fields.shards = shards().into_iter().map(names).collect();
    }
}

/// What searches are resolved against, as it is now.
pub(in crate::handlers) struct SearchScope {
    schema: Arc<VersionedSchema>,
    analyzers: Arc<SchemaAnalyzers>,
    now_ms: i64,
    config: Arc<CollectionConfig>,
    core: String,
    others: Others<'static>,
    parsers: Option<Vec<String>>,
    sharded: Option<String>,
    /// The names of all that are searched together; none where this one is alone.
    together: Arc<[Arc<str>]>,
}

impl SearchScope {
    pub(in crate::handlers) fn of(call: &Call<'_>, collection: &Collection, permit: &Permit) -> Self {
        let schema = collection.versioned_schema();
        Self {
            analyzers: schema.derived(SchemaAnalyzers::new),
            schema,
            now_ms: call.started_ms,
            config: collection.config(),
            core: collection.core_name(),
            others: others(call.server.node.clone(), call.access.clone()),
            parsers: permit.parsers().map(<[String]>::to_vec),
            sharded: collection.sharded_name(),
            together: Arc::default(),
        }
    }

    /// Of each of the collections that one request asks.
    pub(in crate::handlers) fn of_all(
        call: &Call<'_>,
        collections: &[Arc<Collection>],
        permit: &Permit,
    ) -> Vec<Self> {
        let together: Arc<[Arc<str>]> = match collections {
            [_] => Arc::default(),
            several => several.iter().map(|it| it.name().into()).collect(),
        };
        let of_one = |it: &Arc<Collection>| Self { together: together.clone(), ..Self::of(call, it, permit) };
        collections.iter().map(of_one).collect()
    }

    pub(in crate::handlers) fn context(&self) -> ResolveContext<'_> {
        ResolveContext {
            schema: &self.schema.value,
            analyzers: &self.analyzers,
            now_ms: self.now_ms,
            boolean_clauses_max: self.config.boolean_clauses_max,
            prefix_length_min: self.config.prefix_length_min,
            core: &self.core,
            others: Some(&self.others),
            elevation: HandlerElevation::Nowhere,
            components: &Component::DEFAULT,
            names: Names {
                parsers: self.parsers.as_deref(),
                own: &self.config.named,
                sharded: self.sharded.as_deref(),
                together: &self.together,
                score_statistics: self.config.score_statistics,
            },
            highlight: &self.config.components.highlight,
        }
    }
}

/// The node's collections, as a query asks for them: those that its sender may search.
fn others(node: Arc<Node>, access: Access) -> Others<'static> {
    Others::new(move |name| {
        let other = |collection: Arc<Collection>| {
            let versioned = collection.versioned_schema();
            let analyzers = versioned.derived(SchemaAnalyzers::new);
            OtherSchema {
                name: collection.name().into(),
                is_sharded: collection.sharded_name().is_some(),
                schema: versioned.value.clone(),
                analyzers,
            }
        };
        Ok(access.find(&node, name)?.map(other))
    })
}
