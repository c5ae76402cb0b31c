//! Snapshots of a collection: what it held at a moment, under a name, kept beside it until it is deleted.
//! They are backups (ADR 9) in the collection's own folder, so that merges and later updates do not touch
//! them, and they go with the collection.

use std::path::PathBuf;
use std::sync::Arc;

use plan::{Error, Result, check_name};
use store::{BackupFolder, BackupPoint};

use super::Collection;
use crate::backup::{self, BackupFiles, BackupPlace, Description};
use crate::documents::lift;
use crate::node::Node;
use crate::offload;

/// Below a collection's folder.
const FOLDER: &str = "snapshots";

/// What there is to say of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFacts {
    pub name: String,
    /// Counts up with each snapshot of the collection.
    pub generation: u64,
    pub created_ms: i64,
    /// Of each shard its name, with its files as it names them.
    pub shards: Vec<(String, Vec<String>)>,
    /// Where they are, for display.
    pub folder: PathBuf,
}

impl Collection {
    /// Keeps all that is acknowledged under a name. Errors: `BadRequest` for a name that is taken or not
    /// allowed.
    pub async fn create_snapshot(self: &Arc<Self>, node: &Arc<Node>, name: &str) -> Result<SnapshotFacts> {
        check_name("snapshot", name)?;
        let (collection, node, name) = (self.clone(), node.clone(), name.to_owned());
        if self.home.served().is_spread() {
            return Err(Error::bad_request(format!(
                "a snapshot lies with one node, and `{}` has shards on several: use BACKUP, into a bucket or a folder that they share",
                self.name()
            )));
        }
        let work = move || {
            let place = collection.snapshot_place();
            if find(&place, &name)?.is_some() {
                return Err(Error::bad_request(format!("A snapshot with name {name} already exists")));
            }
            let point = backup::add(&node, &collection, &place.open()?, Some(name))?;
            collection.snapshot_facts(&point)
        };
        offload::update(work).await?
    }

    /// All snapshots, by name.
    pub async fn snapshots(self: &Arc<Self>) -> Result<Vec<SnapshotFacts>> {
        let collection = self.clone();
        let work = move || {
            let points = collection.snapshot_place().open()?.points().map_err(lift)?;
            let mut facts =
                points.iter().map(|point| collection.snapshot_facts(point)).collect::<Result<Vec<_>>>()?;
            facts.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(facts)
        };
        offload::update(work).await?
    }

    /// Whether there was one.
    pub async fn delete_snapshot(self: &Arc<Self>, name: &str) -> Result<bool> {
        let (collection, name) = (self.clone(), name.to_owned());
        let work = move || {
            let place = collection.snapshot_place();
            let Some((point, _)) = find(&place, &name)? else { return Ok(false) };
            place.open()?.remove(&[point.id]).map_err(lift)?;
            Ok(true)
        };
        offload::update(work).await?
    }

    /// What a snapshot holds, for a backup of it. Errors: `BadRequest` for a name that is none. Blocks.
    pub(crate) fn snapshot_files(&self, name: &str) -> Result<(BackupFiles, Description)> {
        let place = self.snapshot_place();
        let missing = || {
            let message = format!("there is no snapshot `{name}`; list what there is with LISTSNAPSHOTS");
            Error::bad_request(message)
        };
        let (point, description) = find(&place, name)?.ok_or_else(missing)?;
        Ok((place.open()?.files(&point).map_err(lift)?, description))
    }

    fn snapshot_place(&self) -> BackupPlace {
        let entry = self.entry();
        BackupPlace { root: self.catalog.folder(entry.key()).into(), name: FOLDER.to_owned() }
    }

    fn snapshot_facts(&self, point: &BackupPoint) -> Result<SnapshotFacts> {
        let description = backup::describe(point)?;
        let mut names = point.files.iter().map(|file| file.name.clone());
        let shards = description.files_of_shards(point.files.len()).into_iter();
        let shards = shards.map(|(shard, count)| (shard, names.by_ref().take(count).collect())).collect();
        Ok(SnapshotFacts {
            name: description.snapshot.unwrap_or_default(),
            generation: point.id + 1,
            created_ms: point.ended_ms,
            shards,
            folder: self.catalog.folder(self.entry().key()).join(FOLDER),
        })
    }
}

fn find(place: &BackupPlace, name: &str) -> Result<Option<(BackupPoint, Description)>> {
    let folder: BackupFolder = place.open()?;
    for point in folder.points().map_err(lift)? {
        let description = backup::describe(&point)?;
        if description.snapshot.as_deref() == Some(name) {
            return Ok(Some((point, description)));
        }
    }
    Ok(None)
}
