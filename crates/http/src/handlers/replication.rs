//! `/replication`: what there is to say of an index that nobody copies, and backups by Solr's older commands.
//! Other nodes do not fetch files here: their formats are others.
//!
//! In: a collection's figures and a command; out: details in Solr's shape, or a backup in the folder that the
//! operator gave (`collections/backups.rs`). Commands that would replace what is searched are refused.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result};
use solr::admin::{Replicable, replication_details};
use solr::params::admin::replication::COMMAND;
use solr::response::{Entries, Node};

use super::collections::place;
use crate::request::call::Call;

pub(super) async fn run(call: &Call<'_>, collection: &Arc<Collection>) -> Result<Entries> {
    let command = call.required(&COMMAND)?;
    match command {
        "details" => Ok(details(collection)),
        "indexversion" => Ok(index_version(collection)),
        "backup" => {
            call.server.node.back_up(collection.clone(), place(call)?, None).await?;
            Ok(vec![ok()])
        }
        "restore" => Err(Error::bad_request(
            "`restore` is not supported: it would replace what is searched; restore under another name with \
             `/admin/collections?action=RESTORE`, then swap the cores",
        )),
        "restorestatus" => {
            let none = Node::map([("status", Node::str("No restore actions in progress"))]);
            Ok(vec![("restorestatus".into(), none), ok()])
        }
        "deletebackup" => {
            let place = place(call)?;
            let all = call.server.node.backups(place.clone()).await?;
            for backup in all {
                let one = cluster::BackupsToDelete::One(backup.id);
                call.server.node.delete_backups(place.clone(), one).await?;
            }
            Ok(vec![ok()])
        }
        _ => Err(Error::bad_request(format!(
            "the command `{command}` is not supported; use details, indexversion, backup, deletebackup or restorestatus"
        ))),
    }
}

fn ok() -> (solr::response::Name, Node) {
    ("status".into(), Node::str("OK"))
}

fn facts(collection: &Collection) -> Replicable {
    let stats = collection.stats();
    Replicable {
        bytes: stats.disk_bytes,
        folder: collection.folder().display().to_string(),
        modified_ms: stats.last_modified_ms,
        generation: stats.version,
    }
}

fn details(collection: &Collection) -> Entries {
    vec![ok(), ("details".into(), replication_details(&facts(collection)))]
}

fn index_version(collection: &Collection) -> Entries {
    let facts = facts(collection);
    vec![
        ("indexversion".into(), Node::Long(facts.modified_ms)),
        ("generation".into(), Node::long(facts.generation)),
        ok(),
    ]
}
