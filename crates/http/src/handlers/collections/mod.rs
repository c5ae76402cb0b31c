//! `/admin/collections`, as a cloud of one node answers it: which action does what, and the collections' own.
//! What clients read of the cluster is in `status`, names that stand for collections in `aliases`, copies of
//! them in `backups`.

mod aliases;
mod backups;
mod properties;
mod status;

use std::sync::Arc;

use cluster::{Collection, CreateCollection};
use plan::{Error, ErrorKind, Result};
use solr::params::Param;
use solr::params::admin::collections as asked;
use solr::response::{Entries, Name, Node};

pub(super) use self::backups::{back_up_core, place, restore_core};
use super::snapshots::Of;
use super::{background, configsets, snapshots};
use crate::request::call::{Call, Failure};

/// What is asked of more nodes or shards than there are.
const FOR_MORE_NODES: [&str; 19] = [
    "ADDREPLICA",
    "DELETEREPLICA",
    "MOVEREPLICA",
    "REPLACENODE",
    "DELETENODE",
    "SPLITSHARD",
    "CREATESHARD",
    "DELETESHARD",
    "FORCELEADER",
    "ADDREPLICAPROP",
    "DELETEREPLICAPROP",
    "BALANCESHARDUNIQUE",
    "REBALANCELEADERS",
    "SYNCSHARD",
    "MIGRATE",
    "REINDEXCOLLECTION",
    "INSTALLSHARDDATA",
    "ADDROLE",
    "REMOVEROLE",
];

pub(super) async fn run(call: &Call<'_>) -> Result<Entries, Failure> {
    let action = call.text(&asked::ACTION).ok_or_else(|| Error::bad_request("action is a required param"))?;
    let action = action.to_ascii_uppercase();
    match (action.as_str(), call.text(&asked::ASYNC)) {
        ("CLUSTERSTATUS", _) => status::cluster(call),
        ("REQUESTSTATUS", _) => Ok(background::collection_task(call)?),
        ("DELETESTATUS", _) => Ok(background::forget(call)?),
        (_, Some(id)) if changes(&action) => Ok(begin(call, id, action)?),
        _ => Ok(Box::pin(perform(call, &action)).await?),
    }
}

fn changes(action: &str) -> bool {
    !matches!(
        action,
        "LIST" | "LISTBACKUP" | "LISTSNAPSHOTS" | "COLSTATUS" | "LISTALIASES" | "OVERSEERSTATUS"
    )
}

/// What may also be done beside.
pub(super) async fn perform(call: &Call<'_>, action: &str) -> Result<Entries> {
    match action {
        "LIST" => Ok(list(call)),
        "CREATE" => create(call).await,
        "DELETE" => delete(call).await,
        "RELOAD" => reload(call).await,
        "RENAME" => aliases::rename(call).await,
        "COLSTATUS" => status::collections(call),
        "OVERSEERSTATUS" => Ok(status::overseer(call)),
        "BACKUP" => backups::back_up(call).await,
        "LISTBACKUP" => backups::list(call).await,
        "VERIFYBACKUP" => backups::verify(call).await,
        "DELETEBACKUP" => backups::delete(call).await,
        "RESTORE" => backups::restore(call).await,
        "CREATESNAPSHOT" => snapshots::create(call, Of::Collection).await,
        "LISTSNAPSHOTS" => snapshots::list(call, Of::Collection).await,
        "DELETESNAPSHOT" => snapshots::delete(call, Of::Collection).await,
        "CREATEALIAS" => aliases::create(call).await,
        "DELETEALIAS" => aliases::delete(call).await,
        "LISTALIASES" => Ok(aliases::list(call)),
        "ALIASPROP" => aliases::set_properties(call).await,
        "CLUSTERPROP" => properties::of_cluster(call).await,
        "COLLECTIONPROP" => properties::of_collection(call).await,
        "MODIFYCOLLECTION" => properties::modify(call).await,
        _ if FOR_MORE_NODES.contains(&action) => Err(Error::bad_request(format!(
            "`{action}` is not supported: there is one node, and each collection is one shard with one replica on it"
        ))),
        _ => Err(Error::bad_request(format!("Unknown action: {action}"))),
    }
}

fn list(call: &Call<'_>) -> Entries {
    let names = call.server.node.list().iter().map(|collection| Node::from(collection.name())).collect();
    vec![("collections".into(), Node::Array(names))]
}

async fn create(call: &Call<'_>) -> Result<Entries> {
    let name = call.required(&asked::NAME)?;
    only_one_of(call, &[&asked::REPLICATION_FACTOR, &asked::NRT_REPLICAS, &asked::TLOG_REPLICAS])?;
    let configset = call.text(&asked::CONFIGSET);
    let origin = configsets::require(call, configset)?;
    let mut wanted = CreateCollection::new(name, configset, origin.schema.clone(), origin.config.clone());
    wanted.shard_count = call.value(&asked::SHARD_COUNT)?;
    let alias = call.text(&asked::ALIAS).filter(|alias| *alias != name);
    let collection = call.server.node.create(wanted).await?;
    if let Some(alias) = alias {
        call.server.node.set_alias(alias, vec![name.to_owned()]).await?;
    }
    Ok(done(call, Some(&collection)))
}

async fn delete(call: &Call<'_>) -> Result<Entries> {
    let node = &call.server.node;
    let (name, state) = (call.required(&asked::NAME)?, node.state());
    let collection = if call.value(&asked::FOLLOW_ALIASES)? {
        existing(call)?
    } else {
        let own = node.list().into_iter().find(|known| known.name() == name || known.core_name() == name);
        own.ok_or_else(|| not_found(name))?
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
    Ok(done(call, None))
}

async fn reload(call: &Call<'_>) -> Result<Entries> {
    let collection = existing(call)?;
    configsets::renew(call, &collection).await?;
    collection.reload().await?;
    Ok(done(call, None))
}

/// What each node did, as a cloud's overseer would list it.
fn done(call: &Call<'_>, made: Option<&Collection>) -> Entries {
    let header = Node::map([("status", Node::Int(0)), ("QTime", Node::Int(0))]);
    let mut entries: Entries = vec![("responseHeader".into(), header)];
    if let Some(collection) = made {
        entries.push(("core".into(), Node::from(collection.core_name())));
    }
    let node = Name::Owned(call.server.node.name().to_owned());
    vec![("success".into(), Node::Map(vec![(node, Node::Map(entries))]))]
}

/// The collection that `name` names, or an alias of one.
fn existing(call: &Call<'_>) -> Result<Arc<Collection>> {
    let name = call.required(&asked::NAME)?;
    call.server.node.find(name).ok_or_else(|| not_found(name))
}

fn not_found(name: &str) -> Error {
    Error::new(ErrorKind::BadRequest, format!("Could not find collection : {name}"))
}

/// More than one replica is refused rather than ignored: the sender counts on them.
fn only_one_of(call: &Call<'_>, params: &[&Param<usize>]) -> Result<()> {
    for param in params {
        if let Some(count) = call.value(param)?.filter(|count| *count > 1) {
            let name = param.name;
            return Err(Error::bad_request(format!(
                "cannot create the collection: `{name}` is `{count}`, more than one replica is not supported; use 1"
            )));
        }
    }
    match call.value(&asked::PULL_REPLICAS)? {
        None | Some(0) => Ok(()),
        Some(count) => Err(Error::bad_request(format!(
            "cannot create the collection: `pullReplicas` is `{count}`, which is not supported; use 0"
        ))),
    }
}

/// Begins an action of the collections' administration; the answer names the task.
fn begin(call: &Call<'_>, id: &str, action: String) -> Result<Entries> {
    let taken = format!("Task with the same requestid already exists. ({id})");
    call.server.collection_tasks.begin(id, &taken)?;
    let (server, task) = (Arc::clone(call.server), background::Task::of(call, id));
    tokio::spawn(async move {
        let done = Box::pin(perform(&task.call(&server), &action)).await;
        server.collection_tasks.end(&task.id, background::outcome(done));
    });
    Ok(vec![("requestid".into(), Node::Str(id.to_owned().into()))])
}
