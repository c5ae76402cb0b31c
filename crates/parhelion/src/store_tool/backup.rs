//! `parhelion store drill --backup`: restores a backup into a folder of its own, which is gone at the end,
//! and says what was looked at. What a backup is, and that its files are those that were backed up, is
//! `cluster`'s and `store`'s; what documents come to is counted as `contents` counts it.

use std::path::Path;

use anyhow::{Context as _, bail};
use cluster::{BackupPlace, RestoreTo};
use plan::BackupFacts;
use serde_json::json;
use tokio::runtime::Builder;

use super::contents::{DigestRow, chosen, digests, documents, rows_json, show};
use super::place::{DataPlace, Scratch};
use crate::object_store::OpenBackups;
use crate::output;

/// A backup as the command line names it; without an id the newest.
pub(super) struct DrilledBackup<'a> {
    pub location: &'a str,
    pub name: &'a str,
    pub id: Option<u64>,
}

impl DrilledBackup<'_> {
    /// The backup, and what the documents of its collection come to once it is restored.
    fn restored(&self, scratch: &Scratch) -> anyhow::Result<(BackupFacts, Vec<DigestRow>)> {
        let backups = OpenBackups::open(self.location)?;
        let place = BackupPlace { root: backups.root(), name: self.name.to_owned() };
        let node = scratch.place().empty_node()?;
        // What reads and writes files blocks, on threads that this has for it.
        let runtime = Builder::new_current_thread().build().context("cannot start a thread")?;
        let restored = runtime.block_on(async {
            let facts = node.verify_backup(place.clone(), self.id).await?;
            let to = RestoreTo::named(&facts.collection);
            anyhow::Ok((node.restore(place, Some(facts.id), to).await?, facts))
        });
        let counted = restored.and_then(|(collection, facts)| Ok((facts, digests(&[collection])?)));
        let closed = node.close();
        let counted = counted?;
        closed?;
        Ok(counted)
    }
}

/// Prints what came back. Errors: where a file is not what was backed up, where the collection does not open,
/// where `against` has other documents.
pub(super) fn drill(
    backup: &DrilledBackup<'_>,
    (into, against): (Option<&Path>, Option<&str>),
    as_json: bool,
) -> anyhow::Result<()> {
    let scratch = Scratch::below(into.unwrap_or(&std::env::temp_dir()));
    let DrilledBackup { location, name, .. } = backup;
    let (facts, rows) = backup
        .restored(&scratch)
        .with_context(|| format!("the backup `{name}` in `{location}` does not come back"))?;
    let same = against.map(|place| is_same(place, &facts.collection, &rows)).transpose()?;
    let all = documents(&rows);
    if as_json {
        output::json(&json!({
            "backupId": facts.id, "collection": facts.collection, "files": facts.files, "bytes": facts.bytes,
            "restored": rows_json(&rows), "documents": all.documents(), "digest": all.to_string(),
            "sameAs": against, "same": same,
        }));
    } else {
        show(&rows, "restored", false);
        output::line(&format!(
            "backup {} of `{}`: {} files, {} bytes; size, CRC and SHA-256 of each are those that were backed up",
            facts.id, facts.collection, facts.files, facts.bytes
        ));
    }
    match (against, same) {
        (Some(place), Some(false)) => bail!(
            "`{}` has other documents in `{place}`; if it was updated since the backup, that is why",
            facts.collection
        ),
        (Some(place), _) if !as_json => {
            output::note(&format!("all came back, and comes to the same as `{place}`"));
        }
        (None, _) if !as_json => output::note("all came back"),
        _ => {}
    }
    Ok(())
}

/// Whether a collection has the same documents there, shard by shard.
fn is_same(place: &str, collection: &str, restored: &[DigestRow]) -> anyhow::Result<bool> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    let node = opened.node(false).with_context(|| format!("cannot read `{place}`"))?;
    Ok(digests(&chosen(&node, Some(collection))?)? == restored)
}
