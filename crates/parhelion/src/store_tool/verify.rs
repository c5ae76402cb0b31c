//! `parhelion store verify`: reads the files of a place again, and compares documents with their indexes
//! where that is asked for. Reading and comparing is `engine`'s; here are the walk, and what is shown.

use anyhow::{Context as _, bail};
use cluster::{FilesVerdict, IndexDifference, IndexSample, VerifiedShard};
use serde_json::{Value, json};

use super::contents::chosen;
use super::place::DataPlace;
use crate::output;

/// A shard whose documents were compared.
struct SampledShard {
    collection: String,
    shard: String,
    found: IndexSample,
}

pub(super) fn run(
    place: &str,
    (sample, collection): (Option<u32>, Option<&str>),
    as_json: bool,
) -> anyhow::Result<()> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    let notes = output::on_terminal() && !as_json;
    let mut found = Vec::new();
    let mut told = |shard: VerifiedShard| {
        if notes {
            let VerifiedShard { collection, shard, verdict } = &shard;
            output::note(&format!("{collection}/{shard}: {} files read", verdict.files));
        }
        found.push(shard);
    };
    opened.verify(&mut told).with_context(|| format!("cannot read `{place}`"))?;
    let sampled = match sample {
        Some(documents) => {
            let sampled = sampled(&opened, (documents, collection), notes);
            Some(sampled.with_context(|| format!("cannot compare the documents of `{place}`"))?)
        }
        None => None,
    };
    let count = |of: fn(&FilesVerdict) -> usize| found.iter().map(|it| of(&it.verdict)).sum::<usize>();
    let (damaged, unread) = (count(|it| it.damaged.len()), count(|it| it.unread.len()));
    let differences = sampled.iter().flatten().map(|it| it.found.differences.len()).sum::<usize>();
    if as_json {
        let shards: Vec<Value> = found.iter().map(verdict_json).collect();
        let mut value = json!({ "shards": shards, "damaged": damaged, "unread": unread });
        if let Some(sampled) = &sampled {
            value["sampled"] = sampled.iter().map(sampled_json).collect();
            value["differences"] = differences.into();
        }
        output::json(&value);
    } else {
        show_verdicts(&found);
        sampled.iter().for_each(|sampled| show_sampled(sampled));
    }
    if damaged > 0 {
        bail!(
            "files are damaged: {damaged}; a node that owns the shard mends those of which another copy is \
             whole, and `parhelion store repair {place}` whatever can be mended"
        );
    }
    if unread > 0 {
        bail!("files that could not be read: {unread}; nobody knows what they are like: try again");
    }
    if differences > 0 {
        bail!(
            "documents that their index does not say the same of: {differences}; `parhelion store rebuild \
             {place}` makes indexes anew of the documents"
        );
    }
    Ok(())
}

/// Compares documents of each segment, or of those of one collection.
fn sampled(
    place: &DataPlace,
    (documents, collection): (u32, Option<&str>),
    notes: bool,
) -> anyhow::Result<Vec<SampledShard>> {
    let node = place.node(false)?;
    let mut sampled = Vec::new();
    for collection in chosen(&node, collection)? {
        let name = collection.name();
        let mut told = |shard: &str, found: &IndexSample| {
            if notes {
                let IndexSample { documents, terms, differences, .. } = found;
                let differences = differences.len();
                output::note(&format!(
                    "{name}/{shard}: {documents} documents and {terms} terms of a segment compared, \
                     {differences} differ"
                ));
            }
        };
        let of_shards = collection.sample_indexes(documents, &mut told)?;
        sampled.extend(of_shards.into_iter().map(|(shard, found)| SampledShard {
            collection: name.clone(),
            shard,
            found,
        }));
    }
    Ok(sampled)
}

fn verdict_json(VerifiedShard { collection, shard, verdict }: &VerifiedShard) -> Value {
    let FilesVerdict { files, bytes, damaged, unread, lost } = verdict;
    let told = |list: &[(String, String)]| -> Vec<Value> {
        list.iter().map(|(file, why)| json!({ "file": file, "why": why })).collect()
    };
    json!({
        "collection": collection, "shard": shard, "files": files, "bytes": bytes,
        "damaged": told(damaged), "unread": told(unread),
        "lost": lost.iter().map(|it| json!({
            "segment": it.segment, "documents": it.documents, "files": told(&it.files),
        })).collect::<Vec<_>>(),
    })
}

fn show_verdicts(found: &[VerifiedShard]) {
    let mut table = output::table();
    table.set_header(["collection", "shard", "files", "bytes", "damaged"]);
    for VerifiedShard { collection, shard, verdict } in found {
        let row = [verdict.files.to_string(), verdict.bytes.to_string(), verdict.damaged.len().to_string()];
        table.add_row([collection.clone(), shard.clone()].into_iter().chain(row));
    }
    output::line(&table.to_string());
    for VerifiedShard { verdict, .. } in found {
        verdict.damaged.iter().for_each(|(file, why)| output::line(&format!("damaged: {file}: {why}")));
        verdict.lost.iter().for_each(|it| {
            output::line(&format!("at stake: segment {} with {} documents", it.segment, it.documents));
        });
        verdict.unread.iter().for_each(|(file, why)| output::line(&format!("not read: {file}: {why}")));
    }
}

fn sampled_json(SampledShard { collection, shard, found }: &SampledShard) -> Value {
    let IndexSample { segments, documents, terms, unknown_segments, differences } = found;
    let difference = |IndexDifference { segment, field, document, why }: &IndexDifference| json!({ "segment": segment, "field": field, "document": document, "why": why });
    json!({
        "collection": collection, "shard": shard, "segments": segments, "documents": documents,
        "terms": terms, "unknownSegments": unknown_segments,
        "differences": differences.iter().map(difference).collect::<Vec<_>>(),
    })
}

fn show_sampled(sampled: &[SampledShard]) {
    let mut table = output::table();
    table.set_header(["collection", "shard", "segments", "documents", "terms", "differ"]);
    for SampledShard { collection, shard, found } in sampled {
        let IndexSample { segments, documents, terms, differences, .. } = found;
        let row =
            [segments.to_string(), documents.to_string(), terms.to_string(), differences.len().to_string()];
        table.add_row([collection.clone(), shard.clone()].into_iter().chain(row));
    }
    output::line(&table.to_string());
    for SampledShard { collection, shard, found } in sampled {
        found.differences.iter().for_each(|it| output::line(&format!("differs: {it}")));
        if found.unknown_segments > 0 {
            output::line(&format!(
                "{collection}/{shard}: of {} segments only ids and versions were compared; they were indexed \
                 under a schema that is another now, or by a version that did not note under which",
                found.unknown_segments
            ));
        }
    }
}
