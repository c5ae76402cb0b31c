//! `parhelion store repair`: mends what lies at a place, and shows what became of each shard. What mends is
//! `engine`'s and the home's.

use anyhow::{Context as _, bail};
use cluster::{RepairOutcome, RepairReport, RepairedShard};
use serde_json::{Value, json};

use super::place::DataPlace;
use crate::output;

pub(super) fn run(place: &str, of: (Option<&str>, bool), as_json: bool) -> anyhow::Result<()> {
    let opened = DataPlace::open(place).with_context(|| format!("cannot open `{place}`"))?;
    let repaired = opened.repair(of).with_context(|| format!("cannot read `{place}`"))?;
    if repaired.is_empty() {
        let name = of.0.unwrap_or("any");
        bail!("there is no collection `{name}` at `{place}`; `parhelion store digest {place}` lists them");
    }
    if as_json {
        let shards: Vec<Value> = repaired.iter().map(as_value).collect();
        output::json(&json!({ "shards": shards }));
    } else {
        show(&repaired);
    }
    let is_damaged = |it: &&RepairedShard| match &it.report {
        Ok(report) => matches!(report.outcome, RepairOutcome::Damaged { .. }),
        Err(_) => true,
    };
    match repaired.iter().filter(is_damaged).count() {
        0 => Ok(()),
        count => bail!(
            "shards that stay damaged: {count}; restore their collections from a backup, or call this again \
             with --accept-loss"
        ),
    }
}

fn show(repaired: &[RepairedShard]) {
    let mut table = output::table();
    table.set_header(["collection", "shard", "files", "mended", "outcome"]);
    for RepairedShard { collection, shard, report } in repaired {
        let [files, mended, outcome] = match report {
            Ok(report) => [report.files.to_string(), report.mended.len().to_string(), told(report)],
            Err(error) => ["".to_owned(), "".to_owned(), format!("not read: {error}")],
        };
        table.add_row([collection, shard, &files, &mended, &outcome]);
    }
    output::line(&table.to_string());
    for report in repaired.iter().filter_map(|it| it.report.as_ref().ok()) {
        report.mended.iter().for_each(|file| output::line(&format!("mended: {file}")));
        report.damaged.iter().for_each(|(file, why)| output::line(&format!("damaged: {file}: {why}")));
    }
}

fn told(report: &RepairReport) -> String {
    match report.outcome {
        RepairOutcome::Whole => "whole".to_owned(),
        RepairOutcome::WentBack { records } => {
            format!("an older manifest took the newest's place, with {records} records of the log behind it")
        }
        RepairOutcome::LeftOut { documents } => format!("segments with {documents} documents were left out"),
        RepairOutcome::Damaged { documents } => {
            format!("nothing was changed: {documents} documents are in damaged segments")
        }
    }
}

fn as_value(RepairedShard { collection, shard, report }: &RepairedShard) -> Value {
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            return json!({ "collection": collection, "shard": shard, "error": error.to_string() });
        }
    };
    let damaged: Vec<Value> =
        report.damaged.iter().map(|(file, why)| json!({ "file": file, "why": why })).collect();
    let mut value = json!({
        "collection": collection, "shard": shard, "files": report.files, "mended": report.mended,
        "damaged": damaged,
    });
    let (outcome, count) = match report.outcome {
        RepairOutcome::Whole => ("whole", None),
        RepairOutcome::WentBack { records } => ("wentBack", Some(("replayed", records))),
        RepairOutcome::LeftOut { documents } => ("leftOut", Some(("documents", documents))),
        RepairOutcome::Damaged { documents } => ("damaged", Some(("documents", documents))),
    };
    value["outcome"] = outcome.into();
    if let Some((name, count)) = count {
        value[name] = count.into();
    }
    value
}
