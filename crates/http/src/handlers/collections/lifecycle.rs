//! Collections made, deleted, loaded anew and listed, and what their other actions share: which collection a
//! request names, and what an action that worked answers.
//!
//! In: a call; out: entries of the answer, which reads as if a cloud's overseer had asked each node. Creating
//! and removing are `cluster`'s.

use std::sync::Arc;

use cluster::{Collection, CreateCollection};
use plan::{Error, ErrorKind, Result};
use solr::params::admin::collections;
use solr::response::{Entries, Node};

use super::replicas;
use super::sharding::{self, done};
use crate::handlers::configsets;
use crate::request::call::Call;

pub(super) fn list(call: &Call<'_>) -> Entries {
    let all = call.server.node.descriptions();
    let names = all.iter().map(|collection| Node::from(collection.name().to_owned()));
    vec![("collections".into(), Node::Array(names.collect()))]
}

pub(super) async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&collections::NAME)?;
    replicas::check_collection(call)?;
    let configset = call.text(&collections::CONFIGSET);
    let origin = configsets::require(call, configset)?;
    let mut wanted = CreateCollection::new(name, configset, origin.schema.clone(), origin.config.clone());
    wanted.shards = sharding::asked(call)?;
    wanted.replicas = replicas::asked(call)?;
    wanted.nodes = replicas::nodes(call);
    let alias = call.text(&collections::ALIAS).filter(|alias| *alias != name);
    let collection = call.server.node.create(wanted).await?;
    if let Some(alias) = alias {
        call.server.node.set_alias(alias, vec![name.to_owned()]).await?;
    }
    Ok(done(call, &collection.shard_documents()))
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Entries> {
    let node = &call.server.node;
    let (name, state) = (call.required(&collections::NAME)?, node.state());
    let collection = if call.value(&collections::FOLLOW_ALIASES)? {
        existing(call)?
    } else {
        let own = |known: &Arc<Collection>| {
            known.name() == name || known.shard_documents().iter().any(|shard| shard.core == name)
        };
        node.list().into_iter().find(own).ok_or_else(|| not_found(name))?
    };
    let name = collection.name();
    let aliases = state.aliases_of(&name);
    if !aliases.is_empty() {
        return Err(Error::bad_request(format!(
            "Collection : {name} is part of aliases: [{}], remove or modify the aliases before removing this collection.",
            aliases.join(", ")
        )));
    }
    node.delete(&name).await?;
    Ok(done(call, &[]))
}

pub(super) async fn reload(call: &Call<'_>) -> Result<Entries> {
    let collection = existing(call)?;
    configsets::renew(call, &collection).await?;
    collection.reload().await?;
    Ok(done(call, &[]))
}

/// The collection that `name` names, or an alias of one.
fn existing(call: &Call<'_>) -> Result<Arc<Collection>> {
    let name = call.required(&collections::NAME)?;
    call.server.node.find(name).ok_or_else(|| not_found(name))
}

pub(super) fn not_found(name: &str) -> Error {
    Error::new(ErrorKind::BadRequest, format!("Could not find collection : {name}"))
}
