//! `ingest diff`: the collection beside its sources. In: a file, and whether to repair; out: what differs,
//! and an error where something still does. Reading both sides and mending is the crate's (`ingest::diff`).

use std::sync::Arc;

use anyhow::bail;
use ingest::config;
use ingest::diff::{Diff, DiffReport, DifferenceKind};
use ingest::record::Rejected;
use serde_json::json;

use super::arguments::DiffArgs;
use crate::ambient::now;
use crate::output;

/// Ids that are shown; `--json` shows all.
const SHOWN_MAX: usize = 20;

pub async fn compare(args: &DiffArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let report = Diff::new(&config, Arc::new(now)).await?.run(args.repair).await?;
    let DiffReport { source_documents, target_documents, differences, contents, repaired, refused, refusals } =
        &report;
    if args.file.json {
        output::json(&json!(report));
    } else {
        let what = if *contents { "ids and contents" } else { "ids only, for want of `target.digest_field`" };
        output::line(&format!(
            "sources {source_documents}, collection {target_documents}, {} differ ({what})",
            differences.len()
        ));
        for difference in differences.iter().take(SHOWN_MAX) {
            output::line(&format!("  {:?}: {}", difference.kind, difference.id).to_lowercase());
        }
        if *repaired > 0 {
            output::line(&format!("{repaired} mended"));
        }
        for Rejected { source, key, reason } in refusals {
            output::line(&format!("  refused: source `{source}`, row `{key}`: {reason}"));
        }
    }
    let extra = differences.iter().filter(|one| one.kind == DifferenceKind::Extra).count();
    if args.repair && report.leaves_extra() && extra > 0 {
        bail!(
            "{refused} rows cannot be read, so that {extra} documents that no other row has may be theirs and are left \
             alone; mend the rows and compare again"
        );
    }
    if !args.repair && !differences.is_empty() {
        bail!("{} documents differ; `ingest diff --repair` mends them", differences.len());
    }
    Ok(())
}
