//! `parhelion store`: looks after what lies in a bucket or a data directory. `verify` reads all of it again
//! and changes nothing; `repair` mends what is damaged; `move` brings all of it to another place; `digest`,
//! `rebuild` and `drill` (`contents`, of backups `backup`) say what documents come to, make segments anew of
//! them, and restore them on trial.
//!
//! A place is a folder or the URL of a store; what is behind it is `cluster`'s and `store`'s.

mod backup;
mod contents;
mod place;
mod repair;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use cluster::{MovedCollection, NewHouse};
use serde_json::json;

use crate::output;
use place::DataPlace;

#[derive(Debug, Args)]
pub struct StoreToolArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Read every segment file again and compare it with its manifest; beside a node that serves them, too.
    ///
    /// Only looks, and asks a bucket for every byte once. Ends with 1 where a file is damaged. What is not
    /// flushed yet lies in the log, which is not read.
    ///
    /// With --sample indexes are compared with documents, too: so many documents of each segment are read
    /// from what is stored of them, and their terms, positions, lengths and column values looked for in the
    /// index; and as many terms of the index are followed to a document, which must have them. That finds an
    /// index that is wrong though its files are what was written, and names segment, field and document;
    /// `store rebuild` makes it anew. Of segments that were indexed under a schema that is another now only
    /// ids and versions can be compared, and it says so.
    #[command(after_help = "\
Examples:
  parhelion store verify ./data
  parhelion store verify s3://bucket/prefix --json
  parhelion store verify ./data --sample 1000 --collection films")]
    Verify {
        /// A data directory, or the URL of a store as --store takes it.
        place: String,
        /// Compare this many documents of each segment with its index, and as many terms.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        sample: Option<u32>,
        /// Only this collection is sampled; files are read of all.
        #[arg(long, short, value_name = "NAME", requires = "sample")]
        collection: Option<String>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Print what the documents of each shard come to, however they lie in segments.
    ///
    /// The same digest means the same documents with the same versions: of two nodes that read one bucket, of
    /// a place and where it was moved to, of a shard before and after its segments were merged or made anew.
    /// Reads every document, beside a node that serves them, as of its last hard commit; changes nothing.
    /// The same program is to be asked for both: another version may count otherwise. It finds accidents, and
    /// is no signature.
    #[command(after_help = "\
Examples:
  parhelion store digest ./data
  parhelion store digest s3://bucket/prefix --collection films --json")]
    Digest {
        /// A data directory, or the URL of a store as --store takes it.
        place: String,
        /// Only this collection.
        #[arg(long, short, value_name = "NAME")]
        collection: Option<String>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Make all segments anew, of the stored documents and the log.
    ///
    /// For indexes that are suspected to be wrong, or were made by a version with a defect. What documents
    /// come to is compared before the new segments take the place of the old: where it differs the old ones
    /// stay. Stop the node that serves them first; one that owns the bucket loses it. Takes the space of
    /// both.
    #[command(after_help = "\
Examples:
  parhelion store rebuild ./data --dry-run
  parhelion store rebuild ./data --collection films
  parhelion store rebuild s3://bucket/prefix --json")]
    Rebuild {
        /// A data directory, or the URL of a store as --store takes it.
        place: String,
        /// Only this collection.
        #[arg(long, short, value_name = "NAME")]
        collection: Option<String>,
        /// Only say what there is to make anew.
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Restore all that a place has into a temporary folder, open it there, and compare what documents come
    /// to.
    ///
    /// For buckets and folders that are there to be restored from: whether they can be is not known before
    /// somebody has done it. The place is only read, as of the last hard commit, beside a node that serves
    /// it; the temporary folder takes the space of all of it and is removed. Ends with 1 where anything does
    /// not come back, or comes back otherwise.
    ///
    /// With --backup it is a backup that is restored: PLACE is what the server has as --backup-dir. Every
    /// file is compared with its size, CRC and SHA-256, and the newest backup is taken unless --backup-id
    /// names another. Another place that is to have the same documents, the node's own say, is compared with
    /// --against.
    #[command(after_help = "\
Examples:
  parhelion store drill s3://bucket/prefix
  parhelion store drill ./data --into /mnt/scratch --json
  parhelion store drill s3://backups/films --backup nightly
  parhelion store drill /srv/backups --backup nightly --against s3://bucket/prefix")]
    Drill {
        /// A data directory, or the URL of a store as --store takes it; with --backup, where backups lie.
        place: String,
        /// The name of a backup, with the folders of its location before it.
        #[arg(long, value_name = "NAME")]
        backup: Option<String>,
        /// Which of the backups of that name.
        #[arg(long, value_name = "ID", requires = "backup")]
        backup_id: Option<u64>,
        /// A data directory or a store that is to have the same documents in that collection.
        #[arg(long, value_name = "PLACE", requires = "backup")]
        against: Option<String>,
        /// Below which folder to make the temporary one, instead of the system's.
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Mend files that are damaged or gone.
    ///
    /// Of each shard, in this order: a damaged copy is mended from one that is whole; else an older manifest
    /// whose files are whole takes the newest's place, where the log still has all that came behind it, so
    /// that nothing is lost; else nothing is changed, and it is said how many documents lie in damaged
    /// segments. With --accept-loss those segments are left out then: their documents are gone. Stop the node
    /// that serves them first; one that owns the bucket loses it. `store verify` is the dry run. Ends with 1
    /// where something stays damaged.
    #[command(after_help = "\
Examples:
  parhelion store repair s3://bucket/prefix
  parhelion store repair ./data --collection films --accept-loss --json")]
    Repair {
        /// A data directory, or the URL of a store as --store takes it.
        place: String,
        /// Only this collection.
        #[arg(long, short, value_name = "NAME")]
        collection: Option<String>,
        /// Leave out segments that nothing mends, and their documents with them.
        #[arg(long)]
        accept_loss: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Bring all collections, schemas, configurations, aliases and logins to another place.
    ///
    /// Stop the node that serves them first. The old place keeps all it has. A move that broke off goes on
    /// where it was when it is called again. Snapshots and backups stay where they are.
    ///
    /// With --ahead it copies what is flushed, beside the node that goes on serving it, and moves nothing:
    /// the move itself then has little left to copy, so that the node need not be stopped for long. It can
    /// be called again, as often as there is much that came since.
    #[command(after_help = "\
Examples:
  parhelion store move ./data s3://bucket/prefix --dry-run
  parhelion store move ./data s3://bucket/prefix --ahead
  parhelion store move ./data s3://bucket/prefix
  parhelion store move s3://bucket/prefix ./data")]
    Move {
        /// Where they are: a data directory, or the URL of a store as --store takes it.
        from: String,
        /// Where to: the same.
        to: String,
        /// Only say what there is to move.
        #[arg(long)]
        dry_run: bool,
        /// Copy what is flushed, for a move to come; the node goes on serving.
        #[arg(long, conflicts_with = "dry_run")]
        ahead: bool,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: StoreToolArgs) -> anyhow::Result<()> {
    match args.command {
        StoreCommand::Verify { place, sample, collection, json } => {
            verify::run(&place, (sample, collection.as_deref()), json)
        }
        StoreCommand::Repair { place, collection, accept_loss, json } => {
            repair::run(&place, (collection.as_deref(), accept_loss), json)
        }
        StoreCommand::Digest { place, collection, json } => {
            contents::digest(&place, collection.as_deref(), json)
        }
        StoreCommand::Rebuild { place, collection, dry_run, json } => {
            contents::rebuild(&place, collection.as_deref(), (dry_run, json))
        }
        StoreCommand::Drill { place, backup: None, into, json, .. } => {
            contents::drill(&place, into.as_deref(), json)
        }
        StoreCommand::Drill { place, backup: Some(name), backup_id: id, against, into, json } => {
            let backup = backup::DrilledBackup { location: &place, name: &name, id };
            backup::drill(&backup, (into.as_deref(), against.as_deref()), json)
        }
        StoreCommand::Move { from, to, dry_run: true, json, .. } => would_move(&from, &to, json),
        StoreCommand::Move { from, to, ahead, json, .. } => move_house(&from, &to, (ahead, json)),
    }
}

fn would_move(from: &str, to: &str, as_json: bool) -> anyhow::Result<()> {
    check_places(from, to)?;
    // It is to leave an owner alone.
    let node = DataPlace::open(from)?.node(false).with_context(|| format!("cannot read `{from}`"))?;
    let shards = |it: &Arc<cluster::Collection>| it.shard_documents().len();
    let found = node.list();
    if as_json {
        let each = found.iter().map(|it| json!({ "collection": it.name(), "shards": shards(it) }));
        output::json(&json!({ "wouldMove": each.collect::<Vec<_>>() }));
    } else {
        found
            .iter()
            .for_each(|it| output::line(&format!("would move {} ({} shards)", it.name(), shards(it))));
    }
    Ok(())
}

fn check_places(from: &str, to: &str) -> anyhow::Result<()> {
    if from == to {
        bail!("both places are the same");
    }
    Ok(())
}

/// Moves all, or copies `ahead` what is flushed.
fn move_house(from: &str, to: &str, (ahead, as_json): (bool, bool)) -> anyhow::Result<()> {
    check_places(from, to)?;
    let old = DataPlace::open(from)?;
    // What is copied ahead goes on being served.
    let node = old.node(!ahead).with_context(|| format!("cannot read `{from}`"))?;
    let new = DataPlace::open(to).with_context(|| format!("cannot open `{to}`"))?;
    let (homes, site) = new.parts()?;
    let mut told = Vec::new();
    let mut tell = |it: &MovedCollection| {
        if !as_json {
            let done = if ahead { "copied ahead" } else { "moved" };
            output::line(&format!(
                "{done} {}: {} files, {} bytes; {} files, {} bytes of them copied now",
                it.name, it.files, it.bytes, it.copied_files, it.copied_bytes
            ));
        }
        told.push(json!({
            "collection": it.name, "shards": it.shards, "files": it.files, "bytes": it.bytes,
            "copiedFiles": it.copied_files, "copiedBytes": it.copied_bytes,
        }));
    };
    let house = NewHouse { documents: homes.shared, site };
    if ahead {
        node.copy_ahead(&house, &mut tell)
            .with_context(|| format!("cannot copy to `{to}`; call it again to go on"))?;
        match as_json {
            true => output::json(&json!({ "copiedAhead": told })),
            false => output::note(&format!(
                "`{from}` is served as before; stop the node and call this without --ahead to move"
            )),
        }
        return Ok(());
    }
    let moved = node.move_to(&house, &mut tell);
    let closed = node.close();
    moved.with_context(|| format!("cannot move to `{to}`; call it again to go on"))?;
    closed.with_context(|| format!("cannot close `{from}` cleanly"))?;
    if as_json {
        output::json(&json!({ "moved": told }));
    } else {
        output::note(&format!("all is at `{to}`; `{from}` keeps what it had"));
    }
    Ok(())
}
