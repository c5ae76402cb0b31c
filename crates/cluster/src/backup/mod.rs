//! Backups of collections: schema, config and everything acknowledged when the backup began, in a folder or a
//! bucket that the operator named; and new collections made of them. The files are `store`'s, the segments
//! `engine`'s; what ties them together is the description that is kept with each backup.

use std::path::PathBuf;
use std::sync::Arc;

use plan::{BackupFacts, CollectionConfig, Error, ErrorKind, Result, check_name};
use serde::{Deserialize, Serialize};
use store::{BackupAdded, BackupBucket, BackupDraft, BackupFolder, BackupPoint, SegmentBytes, SegmentFile};

use crate::collection::Collection;
use crate::collection_documents::{FIRST_SHARD, SavedSchema};
use crate::create::{CreateCollection, Sharding};
use crate::documents::lift;
use crate::node::Node;
use crate::offload;
use crate::replica::ReplicaCounts;
use crate::routing::{Router, RouterKind};
use crate::shard::BackedUp;

/// Where backups of all names are; no client chose it.
#[derive(Clone, Debug)]
pub enum BackupRoot {
    Folder(PathBuf),
    Bucket(Arc<BackupBucket>),
}

impl From<PathBuf> for BackupRoot {
    fn from(folder: PathBuf) -> Self {
        BackupRoot::Folder(folder)
    }
}

/// Where backups of one name are: below a root that no client chose.
#[derive(Clone, Debug)]
pub struct BackupPlace {
    pub root: BackupRoot,
    /// Relative, parts separated by `/`; each is checked.
    pub name: String,
}

/// Which backups of a name are to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupsToDelete {
    One(u64),
    AllButNewest(usize),
    /// None, only files that no backup names.
    Unused,
}

/// What a backup says of itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct Description {
    collection: String,
    configset: String,
    schema: SavedSchema,
    config: CollectionConfig,
    /// Of the one shard; empty where there are `shards`.
    manifest: String,
    #[serde(default)]
    router: Router,
    /// In the order of the collection's; empty where it has one of all hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shards: Vec<ShardDescription>,
    /// The name under which it is kept beside its collection, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
}

/// What a backup says of a shard: its moment is its own.
#[derive(Serialize, Deserialize)]
struct ShardDescription {
    name: String,
    manifest: String,
    /// How many of the backup's files are its own, behind those of the shards before it.
    files: usize,
}

/// The files of all shards, in their order.
pub(crate) type BackupFiles = Vec<(SegmentFile, SegmentBytes)>;

/// What a backup becomes.
#[derive(Clone, Debug, Default)]
pub struct RestoreTo {
    pub name: String,
    /// How clients address its one shard; the name that a cloud's replica has where nothing is said.
    pub core_name: Option<String>,
    /// The members that its shards are spread over, by name; over all that live where none is named.
    pub nodes: Vec<String>,
    /// Of each shard.
    pub replicas: ReplicaCounts,
}

impl RestoreTo {
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}

impl Node {
    /// Backs up a collection as it is, or as a snapshot of it was. Returns the backup, and how many files and
    /// bytes it took beyond the earlier ones. Errors: `BadRequest` for a name that holds backups of another
    /// collection, `Unavailable` while another changes them.
    pub async fn back_up(
        self: &Arc<Self>,
        collection: Arc<Collection>,
        place: BackupPlace,
        snapshot: Option<String>,
    ) -> Result<(BackupFacts, u64, u64)> {
        let node = self.clone();
        offload::update(move || {
            let folder = place.open()?;
            if let Some(newest) = newest(&folder)?
                && newest.1.collection != collection.name()
            {
                let (name, held) = (&place.name, &newest.1.collection);
                let message =
                    format!("`{name}` holds backups of the collection `{held}`; choose another name");
                return Err(Error::bad_request(message));
            }
            let (files, description) = match snapshot {
                Some(name) => {
                    let (files, description) = collection.snapshot_files(&name)?;
                    (files, Description { collection: collection.name(), snapshot: None, ..description })
                }
                None => captured(&collection, None)?,
            };
            let added = write(&node, &folder, files, &description)?;
            Ok((facts(&added.point, &description), added.copied_files, added.copied_bytes))
        })
        .await?
    }

    /// The backups of a name, oldest first.
    pub async fn backups(&self, place: BackupPlace) -> Result<Vec<BackupFacts>> {
        let list = move || {
            let points = place.open()?.points().map_err(lift)?;
            points.iter().map(|point| Ok(facts(point, &describe(point)?))).collect()
        };
        offload::update(list).await?
    }

    /// Reads every file of a backup and compares it with its hash; `None` is the newest. Errors: `NotFound`,
    /// `DataLoss`.
    pub async fn verify_backup(&self, place: BackupPlace, id: Option<u64>) -> Result<BackupFacts> {
        let verify = move || {
            let folder = place.open()?;
            let (point, description) = find(&folder, &place, id)?;
            folder.verify(&point).map_err(lift)?;
            Ok(facts(&point, &description))
        };
        offload::update(verify).await?
    }

    /// Makes a collection of a backup, `None` is the newest; a crash leaves a whole one or none. Errors:
    /// `NotFound`, `DataLoss` for a file that is not what was backed up, `BadRequest` for a name that is
    /// taken.
    pub async fn restore(
        self: &Arc<Self>,
        place: BackupPlace,
        id: Option<u64>,
        to: RestoreTo,
    ) -> Result<Arc<Collection>> {
        let node = self.clone();
        let restore = move || {
            let RestoreTo { name, core_name, nodes, replicas } = to;
            check_name("collection", &name)?;
            let folder = place.open()?;
            let (point, description) = find(&folder, &place, id)?;
            let images = description.images(&point);
            let images: Vec<BackedUp<'_>> = images
                .iter()
                .map(|(manifest, point)| BackedUp { manifest: manifest.as_bytes(), folder: &folder, point })
                .collect();
            let shards = description.sharding();
            let Description { configset, schema, config, .. } = description;
            let create = CreateCollection {
                core_name,
                shards,
                nodes,
                replicas,
                ..CreateCollection::new(&name, &configset, schema.source, config)
            };
            node.make_everywhere(create, &images)
        };
        offload::update(restore).await?
    }

    /// Removes backups and the files that only they had: those that went, and how many files. Errors:
    /// `NotFound`.
    pub async fn delete_backups(
        &self,
        place: BackupPlace,
        which: BackupsToDelete,
    ) -> Result<(Vec<BackupFacts>, u64)> {
        let delete = move || {
            let folder = place.open()?;
            let points = folder.points().map_err(lift)?;
            let kept = match which {
                BackupsToDelete::AllButNewest(count) => points.len().saturating_sub(count),
                BackupsToDelete::One(_) | BackupsToDelete::Unused => 0,
            };
            let goes = |(at, point): &(usize, &BackupPoint)| match which {
                BackupsToDelete::One(id) => point.id == id,
                BackupsToDelete::AllButNewest(_) => *at < kept,
                BackupsToDelete::Unused => false,
            };
            let gone: Vec<&BackupPoint> =
                points.iter().enumerate().filter(goes).map(|(_, point)| point).collect();
            if let (BackupsToDelete::One(id), []) = (which, &*gone) {
                return Err(Error::bad_request(format!("Backup ID [{id}] not found; cannot be deleted")));
            }
            let ids: Vec<u64> = gone.iter().map(|point| point.id).collect();
            let told = gone.iter().map(|point| Ok(facts(point, &describe(point)?))).collect::<Result<_>>()?;
            Ok((told, folder.remove(&ids).map_err(lift)?.files))
        };
        offload::update(delete).await?
    }
}

/// Adds what a collection holds to a folder, under a name where it is to be a snapshot. Blocks.
pub(crate) fn add(
    node: &Node,
    collection: &Collection,
    folder: &BackupFolder,
    snapshot: Option<String>,
) -> Result<BackupPoint> {
    let (files, description) = captured(collection, snapshot)?;
    Ok(write(node, folder, files, &description)?.point)
}

fn captured(collection: &Collection, snapshot: Option<String>) -> Result<(BackupFiles, Description)> {
    let (images, schema, config) = collection.capture()?;
    let (name, configset) = (collection.name(), collection.configset());
    let (mut files, mut shards) = (BackupFiles::new(), Vec::with_capacity(images.len()));
    for (document, image) in collection.shard_documents().into_iter().zip(images) {
        let manifest = String::from_utf8(image.manifest)
            .map_err(|_| Error::internal("a shard's manifest is not text"))?;
        shards.push(ShardDescription { name: document.name, manifest, files: image.files.len() });
        files.extend(image.files);
    }
    let (router, mut manifest) = (collection.router(), String::new());
    if collection.entry().shards.is_empty() {
        manifest = shards.pop().map(|only| only.manifest).unwrap_or_default();
    }
    let description =
        Description { collection: name, configset, schema, config, manifest, router, shards, snapshot };
    Ok((files, description))
}

impl Description {
    /// Of each shard its manifest, and the backup with its own files only.
    fn images(&self, point: &BackupPoint) -> Vec<(String, BackupPoint)> {
        if self.shards.is_empty() {
            return vec![(self.manifest.clone(), point.clone())];
        }
        let mut files = point.files.iter().cloned();
        let image = |shard: &ShardDescription| {
            let files = files.by_ref().take(shard.files).collect();
            (shard.manifest.clone(), BackupPoint { files, ..point.clone() })
        };
        self.shards.iter().map(image).collect()
    }

    fn shard_names(&self) -> Vec<String> {
        match self.shards.as_slice() {
            [] => vec![FIRST_SHARD.to_owned()],
            shards => shards.iter().map(|shard| shard.name.clone()).collect(),
        }
    }

    /// Of each shard its name, and how many of the files are its own.
    pub fn files_of_shards(&self, count: usize) -> Vec<(String, usize)> {
        match self.shards.as_slice() {
            [] => vec![(FIRST_SHARD.to_owned(), count)],
            shards => shards.iter().map(|shard| (shard.name.clone(), shard.files)).collect(),
        }
    }

    fn sharding(&self) -> Sharding {
        let field = self.router.field.clone();
        match self.router.kind {
            RouterKind::CompositeId => Sharding::Hashed { count: self.shards.len().max(1), field },
            RouterKind::Implicit => {
                Sharding::Named { names: self.shards.iter().map(|shard| shard.name.clone()).collect(), field }
            }
        }
    }
}

/// The description says which of the files are whose, and what the manifests are.
fn write(
    node: &Node,
    folder: &BackupFolder,
    files: BackupFiles,
    description: &Description,
) -> Result<BackupAdded> {
    let started_ms = node.clock().now_ms();
    let text = serde_json::to_string(description)
        .map_err(|error| Error::internal(format!("cannot describe the backup: {error}")))?;
    let now_ms = || node.clock().now_ms();
    let draft = BackupDraft { started_ms, description: text, files, now_ms: &now_ms };
    folder.add(draft).map_err(lift)
}

impl BackupPlace {
    pub(crate) fn open(&self) -> Result<BackupFolder> {
        let opened = match &self.root {
            BackupRoot::Folder(folder) => BackupFolder::open(folder, &self.name),
            BackupRoot::Bucket(bucket) => BackupFolder::open_in(bucket, &self.name),
        };
        opened.map_err(lift)
    }
}

fn newest(folder: &BackupFolder) -> Result<Option<(BackupPoint, Description)>> {
    let Some(point) = folder.points().map_err(lift)?.pop() else { return Ok(None) };
    let description = describe(&point)?;
    Ok(Some((point, description)))
}

fn find(folder: &BackupFolder, place: &BackupPlace, id: Option<u64>) -> Result<(BackupPoint, Description)> {
    let mut points = folder.points().map_err(lift)?.into_iter();
    let found = points.rfind(|point| id.is_none_or(|id| point.id == id));
    let point = found.ok_or_else(|| {
        let what = id.map_or("backup".to_owned(), |id| format!("backup `{id}`"));
        let message = format!(
            "there is not {what} under the name `{}`; list what there is with LISTBACKUP",
            place.name
        );
        Error::new(ErrorKind::NotFound, message)
    })?;
    let description = describe(&point)?;
    Ok((point, description))
}

pub(crate) fn describe(point: &BackupPoint) -> Result<Description> {
    serde_json::from_str(&point.description).map_err(|failure| {
        let message =
            format!("backup `{}` cannot be understood: {failure}; use the version that made it", point.id);
        Error::new(ErrorKind::DataLoss, message).with_source(failure)
    })
}

fn facts(point: &BackupPoint, description: &Description) -> BackupFacts {
    BackupFacts {
        id: point.id,
        collection: description.collection.clone(),
        configset: description.configset.clone(),
        shards: description.shard_names(),
        started_ms: point.started_ms,
        ended_ms: point.ended_ms,
        files: point.files.len() as u64,
        bytes: point.bytes(),
    }
}

#[cfg(test)]
mod tests;
