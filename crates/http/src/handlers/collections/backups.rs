//! Backing up and restoring. A client names a backup and, if it likes, a folder below the one, or the part of
//! a bucket, that the operator gave with `--backup-dir`; it never names another.
//!
//! In: a call for a collection or a core; out: a place for the node, which makes, checks, lists and deletes
//! backups (ADR 9). What of a client's text may become a path is checked here.

use std::path::Path;
use std::sync::Arc;

use cluster::{BackupPlace, BackupRoot, BackupsToDelete, Collection, RestoreTo};
use plan::{Error, Result, check_name};
use solr::admin::{backup_list, backup_made, backups_deleted, backups_purged};
use solr::params::admin::collections as params;
use solr::params::admin::cores::CORE;
use solr::response::{Entries, Node};

use super::replicas;
use super::sharding::done;
use crate::request::call::Call;

pub(super) async fn back_up(call: &Call<'_>) -> Result<Entries> {
    let (collection, place) = (call.required(&params::COLLECTION)?, place(call)?);
    let unknown =
        || Error::bad_request(format!("Collection '{collection}' does not exist, no action taken."));
    let collection = call.server.node.find(collection).ok_or_else(unknown)?;
    let snapshot = call.text(&params::SNAPSHOT).map(str::to_owned);
    let (backup, files, bytes) = call.server.node.back_up(collection, place.clone(), snapshot).await?;
    if let Some(count) = newest(call)? {
        call.server.node.delete_backups(place, BackupsToDelete::AllButNewest(count)).await?;
    }
    let mut entries = backup_made(&backup, (files, bytes));
    entries.extend(done(call, &[]));
    Ok(entries)
}

pub(super) async fn list(call: &Call<'_>) -> Result<Entries> {
    let place = place(call)?;
    let name = place.name.clone();
    let backups = call.server.node.backups(place).await?;
    if backups.is_empty() {
        return Err(Error::not_found(format!("there is no backup `{name}`; make one with `action=BACKUP`")));
    }
    Ok(backup_list(&backups))
}

/// Ours: reads all that a restore would read, and compares it with what was backed up.
pub(super) async fn verify(call: &Call<'_>) -> Result<Entries> {
    let (place, id) = (place(call)?, id(call)?);
    let backup = call.server.node.verify_backup(place, id).await?;
    let verified = Node::map([
        ("backupId", Node::count(backup.id)),
        ("indexFileCount", Node::count(backup.files)),
        ("bytes", Node::count(backup.bytes)),
    ]);
    Ok(vec![("verified".into(), verified)])
}

/// Solr differs: it also restores into a collection that exists, which cannot be searched meanwhile.
pub(super) async fn restore(call: &Call<'_>) -> Result<Entries> {
    let (name, place, id) = (call.required(&params::COLLECTION)?, place(call)?, id(call)?);
    if call.server.node.find(name).is_some() {
        return Err(Error::bad_request(format!(
            "collection already exists: {name}; restore to another name, then let an alias stand for it"
        )));
    }
    replicas::check_collection(call)?;
    if call.sent(&params::CONFIGSET).is_some() {
        return Err(Error::bad_request(
            "`collection.configName` names a configset, but a backup comes back with its own schema and configuration; \
             leave it out, and edit them afterwards",
        ));
    }
    let to = RestoreTo {
        replicas: replicas::asked(call)?,
        nodes: replicas::nodes(call),
        ..RestoreTo::named(name)
    };
    let collection = call.server.node.restore(place, id, to).await?;
    Ok(done(call, &collection.shard_documents()))
}

/// A core's own backup, by the name that a collection's has too.
///
/// Solr differs: there it is a step of a collection's backup, whose files the caller names.
pub(in crate::handlers) async fn back_up_core(call: &Call<'_>, core: Arc<Collection>) -> Result<Entries> {
    let snapshot = call.text(&params::SNAPSHOT).map(str::to_owned);
    let (backup, files, bytes) = call.server.node.back_up(core, place(call)?, snapshot).await?;
    Ok(backup_made(&backup, (files, bytes)))
}

/// A core of a backup.
///
/// Solr differs: it restores into a core that exists, which cannot be searched meanwhile.
pub(in crate::handlers) async fn restore_core(call: &Call<'_>) -> Result<Entries> {
    let (core, place, id) = (call.required(&CORE)?, place(call)?, id(call)?);
    if call.server.node.find(core).is_some() {
        return Err(Error::bad_request(format!(
            "core already exists: {core}; restore to another name, then let the two SWAP"
        )));
    }
    let to = RestoreTo { core_name: Some(core.to_owned()), ..RestoreTo::named(core) };
    let restored = call.server.node.restore(place, id, to).await?;
    Ok(vec![("core".into(), Node::from(restored.core_name()))])
}

pub(super) async fn delete(call: &Call<'_>) -> Result<Entries> {
    let place = place(call)?;
    let which = match (id(call)?, newest(call)?, call.value(&params::PURGE_UNUSED)?) {
        (Some(id), None, false) => BackupsToDelete::One(id),
        (None, Some(count), false) => BackupsToDelete::AllButNewest(count),
        (None, None, true) => BackupsToDelete::Unused,
        _ => {
            return Err(Error::bad_request(
                "Exactly one of maxNumBackupPoints, purgeUnused, and backupId parameters must be provided",
            ));
        }
    };
    let (gone, files) = call.server.node.delete_backups(place, which).await?;
    if which == BackupsToDelete::Unused {
        return Ok(backups_purged(files));
    }
    Ok(backups_deleted(&gone))
}

fn id(call: &Call<'_>) -> Result<Option<u64>> {
    Ok(call.value(&params::BACKUP_ID)?.map(|id| id as u64))
}

/// How many backups are to be kept.
fn newest(call: &Call<'_>) -> Result<Option<usize>> {
    match call.value(&params::BACKUPS_MAX)? {
        Some(0) => Err(Error::bad_request("`maxNumBackupPoints` is `0`; keep 1 or more")),
        count => Ok(count),
    }
}

/// Where the request's backup is.
pub(in crate::handlers) fn place(call: &Call<'_>) -> Result<BackupPlace> {
    let name = call.required(&params::NAME)?;
    check_name("backup", name)?;
    if let Some(repository) = call.text(&params::REPOSITORY) {
        return Err(Error::bad_request(format!(
            "`repository` is `{repository}`, which is not supported; backups are in the folder or bucket given with `--backup-dir`"
        )));
    }
    let Some(root) = call.server.config.backup_dir.clone() else {
        return Err(Error::bad_request(
            "there is no folder for backups; start the server with `--backup-dir DIR` or a bucket's URL",
        ));
    };
    let state = call.server.node.state();
    let location =
        call.text(&params::LOCATION).or(state.properties.get(params::LOCATION.name).map(String::as_str));
    let below = match &root {
        BackupRoot::Folder(folder) => below(folder, location)?,
        BackupRoot::Bucket(bucket) => below_bucket(bucket.name(), location)?,
    };
    Ok(BackupPlace { root, name: format!("{below}{name}") })
}

/// The location as a path below the root, with a slash at its end where it is not the root.
fn below(root: &Path, location: Option<&str>) -> Result<String> {
    let Some(location) = location.map(|location| location.strip_prefix("file://").unwrap_or(location)) else {
        return Ok(String::new());
    };
    let path = Path::new(location);
    let relative = if path.is_absolute() { path.strip_prefix(root).ok() } else { Some(path) };
    let parts = relative.map(|path| path.iter().map(|part| part.to_str().unwrap_or_default()));
    parts.map_or_else(|| Err(elsewhere(location)), folders)
}

/// The same below a bucket's URL: a client may repeat that, or leave it out.
fn below_bucket(url: &str, location: Option<&str>) -> Result<String> {
    let Some(location) = location else { return Ok(String::new()) };
    let relative = match location.strip_prefix(url.trim_end_matches('/')) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        _ if location.contains("://") || location.starts_with('/') => return Err(elsewhere(location)),
        _ => location,
    };
    folders(relative.split('/').filter(|part| !part.is_empty()))
}

/// Each of them a name, with a slash behind it.
fn folders<'a>(mut parts: impl Iterator<Item = &'a str>) -> Result<String> {
    parts.try_fold(String::new(), |path, part| {
        check_name("location", part)?;
        Ok(path + part + "/")
    })
}

fn elsewhere(location: &str) -> Error {
    Error::bad_request(format!(
        "`location` is `{location}`, which is not below the folder or bucket that the server was started with \
         (`--backup-dir`); leave it out, or name a folder below that one"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_below_the_root() {
        let check = |location: Option<&str>, expected: Option<&str>| {
            let found = below(Path::new("/backups"), location);
            assert_eq!(found.ok().as_deref(), expected, "{location:?}");
        };
        check(None, Some(""));
        check(Some("/backups"), Some(""));
        check(Some("/backups/"), Some(""));
        check(Some("file:///backups/nightly"), Some("nightly/"));
        check(Some("nightly/films"), Some("nightly/films/"));
        check(Some("/backups/../etc"), None);
        check(Some("/backupsx"), None);
        check(Some("/etc"), None);
        check(Some(".."), None);
        check(Some("a/../../b"), None);
        check(Some("s3://bucket/x"), None);
    }

    #[test]
    fn locations_are_below_the_bucket() {
        let check = |location: Option<&str>, expected: Option<&str>| {
            let found = below_bucket("s3://bucket/backups", location);
            assert_eq!(found.ok().as_deref(), expected, "{location:?}");
        };
        check(None, Some(""));
        check(Some("s3://bucket/backups"), Some(""));
        check(Some("s3://bucket/backups/"), Some(""));
        check(Some("s3://bucket/backups/nightly"), Some("nightly/"));
        check(Some("nightly/films"), Some("nightly/films/"));
        check(Some("s3://bucket/backups/../other"), None);
        check(Some("s3://bucket/backupsx"), None);
        check(Some("s3://other/backups"), None);
        check(Some("gs://bucket/backups"), None);
        check(Some("http://127.0.0.1/x"), None);
        check(Some("/etc"), None);
        check(Some(".."), None);
        check(Some("a/../../b"), None);
    }
}
