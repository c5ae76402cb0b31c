//! `parhelion store digest` and `rebuild`: what the documents of a place come to, and segments made anew of
//! them. The digest is `engine`'s, the rebuild `cluster`'s, as after an edit of the schema; here is the walk
//! over collections, and what is shown.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use cluster::{Collection, Node};
use serde_json::{Value, json};
use store::ContentDigest;

use super::place::DataPlace;
use crate::output;

/// A shard of a collection, and what it comes to.
struct DigestRow {
    collection: String,
    shard: String,
    digest: ContentDigest,
}

/// Prints the digest of each shard.
pub(super) fn digest(place: &str, collection: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    let node = opened.node(false).with_context(|| format!("cannot read `{place}`"))?;
    show(&digests(&chosen(&node, collection)?)?, "shards", as_json);
    Ok(())
}

/// Makes the segments of collections anew, or says which it would.
pub(super) fn rebuild(
    place: &str,
    collection: Option<&str>,
    (dry_run, as_json): (bool, bool),
) -> anyhow::Result<()> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    // A dry run is to leave an owner alone.
    let node = opened.node(!dry_run).with_context(|| format!("cannot open `{place}`"))?;
    let chosen = chosen(&node, collection)?;
    if dry_run {
        show(&digests(&chosen)?, "wouldRebuild", as_json);
        return Ok(());
    }
    let rebuilt = renew(&node, &chosen).and_then(|()| digests(&chosen));
    let closed = node.close();
    show(&rebuilt?, "rebuilt", as_json);
    closed.with_context(|| format!("cannot close `{place}` cleanly"))
}

fn renew(node: &Arc<Node>, collections: &[Arc<Collection>]) -> anyhow::Result<()> {
    for collection in collections {
        let name = collection.name();
        collection.renew(node).with_context(|| format!("cannot make the segments of `{name}` anew"))?;
    }
    Ok(())
}

/// The named one, or all of them.
fn chosen(node: &Node, name: Option<&str>) -> anyhow::Result<Vec<Arc<Collection>>> {
    let mut collections = node.list();
    if let Some(name) = name {
        let names: Vec<String> = collections.iter().map(|it| it.name()).collect();
        collections.retain(|it| it.name() == name);
        if collections.is_empty() {
            bail!("there is no collection `{name}`; there are: {}", names.join(", "));
        }
    }
    Ok(collections)
}

fn digests(collections: &[Arc<Collection>]) -> anyhow::Result<Vec<DigestRow>> {
    let mut rows = Vec::new();
    for collection in collections {
        let name = collection.name();
        let digests = collection.content_digests().with_context(|| format!("cannot read `{name}`"))?;
        let row = |(shard, digest)| DigestRow { collection: name.clone(), shard, digest };
        rows.extend(digests.into_iter().map(row));
    }
    Ok(rows)
}

fn show(rows: &[DigestRow], key: &str, as_json: bool) {
    let all = rows.iter().fold(ContentDigest::default(), |all, row| all.plus(&row.digest));
    if as_json {
        let shards: Vec<Value> = rows.iter().map(row_json).collect();
        output::json(&json!({ key: shards, "documents": all.documents(), "digest": all.to_string() }));
        return;
    }
    let mut table = output::table();
    table.set_header(["collection", "shard", "documents", "digest"]);
    for DigestRow { collection, shard, digest } in rows {
        table.add_row([collection, shard, &digest.documents().to_string(), &digest.to_string()]);
    }
    table.add_row(["all", "", &all.documents().to_string(), &all.to_string()]);
    output::line(&table.to_string());
}

fn row_json(row: &DigestRow) -> Value {
    let DigestRow { collection, shard, digest } = row;
    json!({
        "collection": collection, "shard": shard, "documents": digest.documents(),
        "digest": digest.to_string(),
    })
}
