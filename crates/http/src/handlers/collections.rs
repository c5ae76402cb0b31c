//! `/admin/collections`: LIST, CREATE, DELETE, RELOAD, CLUSTERSTATUS, as a cloud of one node answers them.

use std::sync::Arc;

use cluster::{Collection, CreateCollection};
use plan::{Error, ErrorKind, Result};
use solr::admin::{CollectionFacts, cluster_status};
use solr::response::{Entries, Name, Node};

use super::configsets;
use crate::call::Call;

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    let action = required(call, "action")?;
    match action.to_ascii_uppercase().as_str() {
        "LIST" => Ok(list(call)),
        "CREATE" => create(call).await,
        "DELETE" => delete(call).await,
        "RELOAD" => reload(call).await,
        "CLUSTERSTATUS" => status(call),
        _ => Err(Error::bad_request(format!("Unknown action: {action}"))),
    }
}

fn list(call: &Call<'_>) -> Entries {
    let names =
        call.server.node.list().iter().map(|collection| Node::from(collection.name().to_owned())).collect();
    vec![("collections".into(), Node::Array(names))]
}

async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = required(call, "name")?;
    only_one_of(call, &["replicationFactor", "nrtReplicas", "tlogReplicas"])?;
    let configset = call.params.get("collection.configName").unwrap_or("_default");
    let origin = configsets::require(call, configset)?;
    let mut wanted = CreateCollection::new(name, configset, origin.schema.clone(), origin.config.clone());
    wanted.shard_count = whole(call, "numShards")?.unwrap_or(1);
    let collection = call.server.node.create(wanted).await?;
    Ok(done(call, Some(&collection)))
}

async fn delete(call: &Call<'_>) -> Result<Entries> {
    let collection = existing(call)?;
    call.server.node.delete(collection.name()).await?;
    Ok(done(call, None))
}

async fn reload(call: &Call<'_>) -> Result<Entries> {
    let collection = existing(call)?;
    configsets::renew(call, &collection).await?;
    collection.reload().await?;
    Ok(done(call, None))
}

fn status(call: &Call<'_>) -> Result<Entries> {
    let collections = match call.params.get("collection").filter(|name| !name.is_empty()) {
        Some(name) => {
            let found = call.server.node.find(name);
            vec![found.ok_or_else(|| Error::bad_request(format!("Collection: {name} not found")))?]
        }
        None => call.server.node.list(),
    };
    let facts: Vec<_> = collections.iter().map(|collection| facts(collection)).collect();
    Ok(vec![("cluster".into(), cluster_status(call.server.node.name(), &facts))])
}

fn facts(collection: &Collection) -> CollectionFacts {
    CollectionFacts {
        name: collection.name().to_owned(),
        core: collection.core_name().to_owned(),
        configset: collection.configset().to_owned(),
        created_ms: collection.created_ms(),
        state_version: 0,
    }
}

/// What each node did, as a cloud's overseer would list it.
fn done(call: &Call<'_>, made: Option<&Collection>) -> Entries {
    let header = Node::map([("status", Node::Int(0)), ("QTime", Node::Int(0))]);
    let mut entries: Entries = vec![("responseHeader".into(), header)];
    if let Some(collection) = made {
        entries.push(("core".into(), Node::from(collection.core_name().to_owned())));
    }
    let node = Name::Owned(call.server.node.name().to_owned());
    vec![("success".into(), Node::Map(vec![(node, Node::Map(entries))]))]
}

fn existing(call: &Call<'_>) -> Result<Arc<Collection>> {
    let name = required(call, "name")?;
    let found = call.server.node.find(name);
    found.ok_or_else(|| Error::new(ErrorKind::BadRequest, format!("Could not find collection : {name}")))
}

/// More than one replica is refused rather than ignored: the sender counts on them.
fn only_one_of(call: &Call<'_>, names: &[&str]) -> Result<()> {
    for name in names {
        if let Some(count) = whole(call, name)?.filter(|count| *count > 1) {
            return Err(Error::bad_request(format!(
                "cannot create the collection: `{name}` is `{count}`, more than one replica is not supported; use 1"
            )));
        }
    }
    match whole(call, "pullReplicas")? {
        None | Some(0) => Ok(()),
        Some(count) => Err(Error::bad_request(format!(
            "cannot create the collection: `pullReplicas` is `{count}`, which is not supported; use 0"
        ))),
    }
}

fn whole(call: &Call<'_>, name: &str) -> Result<Option<usize>> {
    let Some(text) = call.params.get(name) else { return Ok(None) };
    let number = text.parse().map_err(|_| {
        Error::bad_request(format!("cannot parse `{name}`: `{text}` is not a whole number; use 1 or more"))
    })?;
    Ok(Some(number))
}

fn required<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str> {
    call.params
        .get(name)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| Error::bad_request(format!("Missing required parameter: {name}")))
}
