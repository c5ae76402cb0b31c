//! `/admin/collections`, as a cloud of one node answers it: which action does what.
//! Collections come and go in `lifecycle`. What clients read of the cluster is in `status`, names that stand
//! for collections in `aliases`, copies of them in `backups`.

mod aliases;
mod backups;
mod elsewhere;
mod leaders;
mod lifecycle;
mod moves;
mod nodes;
mod properties;
mod replicas;
mod roles;
mod sharding;
mod shards;
mod status;
mod view;

use std::sync::Arc;

use plan::{Error, Result};
use solr::params::admin::collections::{ACTION, ASYNC, NODE_ROLES, SUPPORTED_ROLES};
use solr::response::{Entries, Node};

pub(super) use self::backups::{back_up_core, place, restore_core};
pub(in crate::handlers) use self::status::scheme;
pub use self::view::{ViewNode, cluster_view};
use super::snapshots::Of;
use super::{background, shown, snapshots};
use crate::request::call::{Call, Failure};

/// What a cloud of Solr does, and this one does not yet.
const FOR_MORE_NODES: [&str; 7] =
    ["SPLITSHARD", "SYNCSHARD", "MIGRATE", "REINDEXCOLLECTION", "INSTALLSHARDDATA", "ADDROLE", "REMOVEROLE"];

pub(super) async fn run(call: &Call<'_>) -> Result<Entries, Failure> {
    let action = call.text(&ACTION).ok_or_else(|| Error::bad_request("action is a required param"))?;
    let action = action.to_ascii_uppercase();
    match (action.as_str(), call.text(&ASYNC)) {
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
        "LIST"
            | "LISTBACKUP"
            | "LISTSNAPSHOTS"
            | "COLSTATUS"
            | "LISTALIASES"
            | "OVERSEERSTATUS"
            | NODE_ROLES
            | SUPPORTED_ROLES
    )
}

/// What may also be done beside.
pub(super) async fn perform(call: &Call<'_>, action: &str) -> Result<Entries> {
    if call.sender.is_forwarded {
        // Whoever sent it may know more of what others did.
        call.server.node.refreshed().await?;
    }
    let owner = elsewhere::owner(call, action)?;
    let work = async {
        match &owner {
            Some(owner) => Box::pin(elsewhere::ask(call, owner)).await,
            None => Box::pin(act(call, action)).await,
        }
    };
    match changes(action) {
        true => shown(call, work).await,
        false => work.await,
    }
}

async fn act(call: &Call<'_>, action: &str) -> Result<Entries> {
    match action {
        "LIST" => Ok(lifecycle::list(call)),
        "CREATE" => lifecycle::create(call).await,
        "DELETE" => lifecycle::delete(call).await,
        "CREATESHARD" => shards::create(call).await,
        "DELETESHARD" => shards::delete(call).await,
        "ADDREPLICA" => moves::add(call).await,
        "DELETEREPLICA" => moves::remove(call).await,
        "MOVEREPLICA" => moves::change_node(call).await,
        "REPLACENODE" => nodes::replace(call).await,
        "DELETENODE" => nodes::delete(call).await,
        "MIGRATE_REPLICAS" => nodes::migrate(call).await,
        "BALANCE_REPLICAS" => nodes::balance(call).await,
        "ADDREPLICAPROP" => leaders::set_property(call).await,
        "DELETEREPLICAPROP" => leaders::remove_property(call).await,
        "BALANCESHARDUNIQUE" => leaders::balance_property(call).await,
        "REBALANCELEADERS" => leaders::rebalance(call).await,
        "FORCELEADER" => leaders::force(call).await,
        "RELOAD" => lifecycle::reload(call).await,
        "RENAME" => aliases::rename(call).await,
        "COLSTATUS" => status::collections(call),
        "OVERSEERSTATUS" => Ok(status::overseer(call)),
        NODE_ROLES => roles::list(call),
        SUPPORTED_ROLES => Ok(roles::supported()),
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
        _ if FOR_MORE_NODES.contains(&action) => {
            Err(Error::bad_request(format!("`{action}` is not supported")))
        }
        _ => Err(Error::bad_request(format!("Unknown action: {action}"))),
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
