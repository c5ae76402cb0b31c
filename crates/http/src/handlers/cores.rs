//! `/admin/cores`: STATUS, CREATE, RELOAD, UNLOAD. A core made here is a collection of the same name.

use cluster::{Collection, CreateCollection};
use plan::{Error, Result};
use solr::admin::{CoreFacts, core_status};
use solr::response::{Entries, Name, Node};

use super::configsets;
use super::luke::index_facts;
use crate::call::Call;

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    match call.params.get("action").map(str::to_ascii_uppercase).as_deref() {
        None | Some("STATUS") => Ok(status(call)),
        Some("CREATE") => create(call).await,
        Some("RELOAD") => reload(call).await,
        Some("UNLOAD") => unload(call).await,
        Some(_) => {
            let action = call.params.get("action").unwrap_or_default();
            Err(Error::bad_request(format!("Unsupported operation: {action}")))
        }
    }
}

fn status(call: &Call<'_>) -> Entries {
    let index = call.params.get("indexInfo") != Some("false");
    let facts = |collection: &Collection| CoreFacts {
        name: collection.core_name().to_owned(),
        folder: collection.folder().display().to_string(),
        opened_ms: collection.opened_ms(),
        uptime_ms: call.started_ms.saturating_sub(collection.opened_ms()),
        index: index.then(|| index_facts(collection)),
    };
    let entries: Entries = match call.params.get("core").filter(|name| !name.is_empty()) {
        Some(name) => match call.server.node.find(name) {
            Some(collection) => vec![core_status(&facts(&collection))],
            None => vec![(Name::Owned(name.to_owned()), Node::Map(vec![]))],
        },
        None => call.server.node.list().iter().map(|collection| core_status(&facts(collection))).collect(),
    };
    vec![("initFailures".into(), Node::Map(vec![])), ("status".into(), Node::Map(entries))]
}

async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = required(call, "name")?;
    let node = &call.server.node;
    if node.find(name).is_some() {
        return Err(Error::bad_request(format!("Core with name '{name}' already exists.")));
    }
    let given = call.params.get("configSet").filter(|configset| !configset.is_empty());
    let configset = given.unwrap_or("_default");
    let origin = configsets::require(call, configset)?;
    let mut wanted = CreateCollection::new(name, configset, origin.schema.clone(), origin.config.clone());
    wanted.core_name = Some(name.to_owned());
    // The files of a core that was unloaded count, but for a configset that is asked for by name.
    if node.load_unloaded(name, given.map(|_| wanted.clone())).await?.is_none() {
        node.create(wanted).await?;
    }
    Ok(vec![("core".into(), Node::Str(name.to_owned().into()))])
}

async fn reload(call: &Call<'_>) -> Result<Entries> {
    let name = required(call, "core")?;
    let Some(collection) = call.server.node.find(name) else {
        return Err(Error::bad_request(format!("No such core: {name}")));
    };
    configsets::renew(call, &collection).await?;
    collection.reload().await?;
    Ok(vec![])
}

/// Without a flag the files stay: the core can be created again as it was.
async fn unload(call: &Call<'_>) -> Result<Entries> {
    let name = required(call, "core")?;
    let node = &call.server.node;
    if node.find(name).is_none() {
        return Err(Error::bad_request(format!("Cannot unload non-existent core [{name}]")));
    }
    let wanted = |flag: &&str| call.params.get(flag) == Some("true");
    if wanted(&"deleteInstanceDir") {
        node.delete(name).await?;
    } else {
        node.unload(name, ["deleteDataDir", "deleteIndex"].iter().any(wanted)).await?;
    }
    Ok(vec![])
}

fn required<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str> {
    call.params
        .get(name)
        .filter(|value| !value.is_empty())
        .ok_or_else(|| Error::bad_request(format!("Missing required parameter: {name}")))
}
