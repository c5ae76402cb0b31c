//! `parhelion store digest`, `rebuild` and `drill`: what the documents of a place come to, segments made
//! anew of them, and whether they come back from there. The digest is `engine`'s, the rebuild `cluster`'s, as
//! after an edit of the schema; here is the walk over collections, and what is shown.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use cluster::{Collection, NewHouse, Node};
use serde_json::{Value, json};
use store::ContentDigest;

use super::place::{DataPlace, Scratch};
use crate::output;

/// A shard of a collection, and what it comes to.
#[derive(PartialEq)]
pub(super) struct DigestRow {
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

/// Restores a place into a folder of its own, which is gone at the end, and compares.
pub(super) fn drill(place: &str, into: Option<&Path>, as_json: bool) -> anyhow::Result<()> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    let node = opened.node(false).with_context(|| format!("cannot read `{place}`"))?;
    let scratch = Scratch::below(into.unwrap_or(&std::env::temp_dir()));
    let expected = digests(&chosen(&node, None)?)?;
    let restored = restored(&node, &scratch).with_context(|| format!("`{place}` does not come back"))?;
    show(&restored, "restored", as_json);
    let differs = |one: &&DigestRow| !restored.iter().any(|other| other == *one);
    if let Some(row) = expected.iter().find(differs) {
        bail!(
            "shard `{}` of `{}` came back otherwise: it has {} documents with the digest {}; if it was \
             committed to meanwhile, try again",
            row.shard,
            row.collection,
            row.digest.documents(),
            row.digest
        );
    }
    if !as_json {
        output::note("all came back, and comes to the same");
    }
    Ok(())
}

fn restored(node: &Node, scratch: &Scratch) -> anyhow::Result<Vec<DigestRow>> {
    let place = scratch.place();
    let (homes, site) = place.parts()?;
    node.move_to(&NewHouse { documents: homes.shared, site }, &mut |_| {})?;
    let restored = place.node(true)?;
    let digests = digests(&chosen(&restored, None)?);
    restored.close()?;
    digests
}

fn renew(node: &Arc<Node>, collections: &[Arc<Collection>]) -> anyhow::Result<()> {
    for collection in collections {
        let name = collection.name();
        collection.renew(node).with_context(|| format!("cannot make the segments of `{name}` anew"))?;
    }
    Ok(())
}

/// The named one, or all of them.
pub(super) fn chosen(node: &Node, name: Option<&str>) -> anyhow::Result<Vec<Arc<Collection>>> {
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

pub(super) fn digests(collections: &[Arc<Collection>]) -> anyhow::Result<Vec<DigestRow>> {
    let mut rows = Vec::new();
    for collection in collections {
        let name = collection.name();
        let digests = collection.content_digests().with_context(|| format!("cannot read `{name}`"))?;
        let row = |(shard, digest)| DigestRow { collection: name.clone(), shard, digest };
        rows.extend(digests.into_iter().map(row));
    }
    Ok(rows)
}

/// What all of them come to together.
pub(super) fn documents(rows: &[DigestRow]) -> ContentDigest {
    rows.iter().fold(ContentDigest::default(), |all, row| all.plus(&row.digest))
}

pub(super) fn rows_json(rows: &[DigestRow]) -> Vec<Value> {
    rows.iter().map(row_json).collect()
}

pub(super) fn show(rows: &[DigestRow], key: &str, as_json: bool) {
    let all = documents(rows);
    if as_json {
        output::json(
            &json!({ key: rows_json(rows), "documents": all.documents(), "digest": all.to_string() }),
        );
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
