//! `/admin/cores`: what there is and what is done with it. A core made here is a collection of the same name.
//!
//! Here are the actions, their names and Solr's words for what fails; the work is the node's (`cluster`).
//! Splits and merges are in `core_parts`, snapshots and backups in files shared with collections; with
//! `async` an action goes on beside (`background`).

use std::sync::Arc;

use cluster::{Collection, CreateCollection};
use plan::{Error, ErrorKind, Result};
use solr::admin::{CoreFacts, core_status};
use solr::params::admin::cores as params;
use solr::params::{Param, Preset};
use solr::response::{Entries, Name, Node};

use super::luke::index_facts;
use super::snapshots::Of;
use super::{background, collections, configsets, core_parts, shown, snapshots};
use crate::request::call::Call;

/// What Solr's cores do among themselves, or with Lucene's files.
const NOT_SERVED: [&str; 8] = [
    "PREPRECOVERY",
    "REQUESTRECOVERY",
    "REQUESTSYNCSHARD",
    "REQUESTBUFFERUPDATES",
    "REQUESTAPPLYUPDATES",
    "REJOINLEADERELECTION",
    "OVERSEEROP",
    "INSTALLCOREDATA",
];

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    let action = call.text(&params::ACTION).to_ascii_uppercase();
    match (action.as_str(), call.text(&params::ASYNC)) {
        ("STATUS", _) => status(call),
        ("REQUESTSTATUS", _) => background::core_task(call),
        (_, Some(id)) => begin(call, id, action),
        _ => Box::pin(perform(call, &action)).await,
    }
}

/// What may also be done beside.
pub(super) async fn perform(call: &Call<'_>, action: &str) -> Result<Entries> {
    shown(call, act(call, action)).await
}

async fn act(call: &Call<'_>, action: &str) -> Result<Entries> {
    match action {
        "CREATE" => create(call).await,
        "RELOAD" => reload(call).await,
        "RENAME" => rename(call).await,
        "SWAP" => swap(call).await,
        "UNLOAD" => unload(call).await,
        "SPLIT" => core_parts::split(call).await,
        "MERGEINDEXES" => core_parts::merge(call).await,
        "CREATESNAPSHOT" => snapshots::create(call, Of::Core).await,
        "LISTSNAPSHOTS" => snapshots::list(call, Of::Core).await,
        "DELETESNAPSHOT" => snapshots::delete(call, Of::Core).await,
        "BACKUPCORE" => collections::back_up_core(call, existing(call, &params::CORE)?).await,
        "RESTORECORE" => collections::restore_core(call).await,
        _ if NOT_SERVED.contains(&action) => Err(Error::bad_request(format!(
            "`{action}` is not supported; to copy a core, back it up with `/admin/collections?action=BACKUP` and restore it \
             under another name"
        ))),
        _ => {
            let action = params::ACTION.sent(&call.params).unwrap_or_default();
            Err(Error::bad_request(format!("Unsupported operation: {action}")))
        }
    }
}

fn status(call: &Call<'_>) -> Result<Entries> {
    let index = params::INDEX_INFO.read(&call.params)?;
    let facts = |collection: &Collection, number: usize, name: String| CoreFacts {
        name,
        folder: collection.shard_folder(number).display().to_string(),
        opened_ms: collection.opened_ms(),
        uptime_ms: call.started_ms.saturating_sub(collection.opened_ms()),
        index: index.then(|| index_facts(collection, Some(number))),
    };
    let all = |collection: &Collection| -> Vec<_> {
        let shards = collection.shard_documents().into_iter().enumerate();
        let here = shards.filter(|(number, _)| collection.serves(*number));
        here.map(|(number, shard)| core_status(&facts(collection, number, shard.core))).collect()
    };
    let node = &call.server.node;
    let entries: Entries = match call.text(&params::CORE) {
        Some(name) => match node.find_addressed(name) {
            Some((collection, Some(number))) => {
                vec![core_status(&facts(&collection, number, name.to_owned()))]
            }
            Some((collection, None)) => all(&collection).into_iter().take(1).collect(),
            None => vec![(Name::Owned(name.to_owned()), Node::Map(vec![]))],
        },
        None => node.list().iter().flat_map(|collection| all(collection)).collect(),
    };
    Ok(vec![("initFailures".into(), Node::Map(vec![])), ("status".into(), Node::Map(entries))])
}

async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&params::NAME)?;
    let node = &call.server.node;
    if node.find(name).is_some() {
        return Err(Error::bad_request(format!("Core with name '{name}' already exists.")));
    }
    let (given, configset) = (call.sent(&params::CONFIGSET), call.text(&params::CONFIGSET));
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
    let collection = existing(call, &params::CORE)?;
    configsets::renew(call, &collection).await?;
    collection.reload().await?;
    Ok(vec![])
}

/// Solr differs: there, a name that another core has is taken from it, and that core cannot be used again.
async fn rename(call: &Call<'_>) -> Result<Entries> {
    let (core, other) = (call.required(&params::CORE)?, call.required(&params::OTHER)?);
    match call.server.node.rename(core, other).await {
        // As Solr has it.
        Err(error) if error.kind == ErrorKind::NotFound => Ok(vec![]),
        renamed => renamed.map(|()| vec![]),
    }
}

async fn swap(call: &Call<'_>) -> Result<Entries> {
    let (core, other) = (existing(call, &params::CORE)?, existing(call, &params::OTHER)?);
    call.server.node.swap(&core.core_name(), &other.core_name()).await?;
    Ok(vec![])
}

/// Without a flag the files stay: the core can be created again as it was.
async fn unload(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&params::CORE)?;
    let node = &call.server.node;
    let Some(collection) = node.find(name) else {
        return Err(Error::bad_request(format!("Cannot unload non-existent core [{name}]")));
    };
    let (name, wanted) = (collection.core_name(), |flag: &Preset<bool>| flag.read(&call.params));
    if wanted(&params::DELETE_ALL)? {
        node.delete(&name).await?;
    } else {
        node.unload(&name, wanted(&params::DELETE_DATA)? || wanted(&params::DELETE_INDEX)?).await?;
    }
    Ok(vec![])
}

fn existing(call: &Call<'_>, param: &Param<String>) -> Result<Arc<Collection>> {
    let name = call.required(param)?;
    call.server.node.find(name).ok_or_else(|| Error::bad_request(format!("No such core: {name}")))
}

/// Begins an action of the cores' administration.
fn begin(call: &Call<'_>, id: &str, action: String) -> Result<Entries> {
    call.server.core_tasks.begin(id, "Duplicate request with the same requestid found.")?;
    let (server, task) = (Arc::clone(call.server), background::Task::of(call, id));
    tokio::spawn(async move {
        let done = Box::pin(perform(&task.call(&server), &action)).await;
        server.core_tasks.end(&task.id, background::outcome(done));
    });
    Ok(vec![])
}
