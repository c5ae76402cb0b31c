//! `ingest check`, `plan` and `why`: what a run would do and what it would say, shown before or behind it.
//! Nothing is written.

use anyhow::bail;
use ingest::{config, preview, why};
use serde_json::json;

use super::arguments::{FileArgs, WhyArgs};
use crate::ambient::now;
use crate::output;

pub async fn check(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let findings = preview::check(&config, now()).await;
    if args.json {
        output::json(&json!({ "findings": findings }));
    } else {
        findings.iter().for_each(|finding| output::line(finding));
    }
    match findings.len() {
        0 if args.json => Ok(()),
        0 => {
            output::line(&format!("`{}` is fine: sources and target answer", args.file.display()));
            Ok(())
        }
        count => bail!("{count} to be mended in `{}`", args.file.display()),
    }
}

pub async fn plan(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let previews = preview::preview(&config, 10, now()).await?;
    let mut fields = preview::wanted_fields(&previews);
    let compared = preview::compare_schema(&config, &mut fields).await;
    let edits = preview::schema_edits(&fields);
    if args.json {
        output::json(&json!({ "sources": previews, "fields": fields, "edits": edits }));
        return Ok(());
    }
    for source in &previews {
        let rows = source.rows.map_or_else(String::new, |rows| format!(" of {rows} rows"));
        output::line(&format!("{}: {} documents{rows}", source.source, source.documents.len()));
        source.documents.iter().for_each(|document| output::line(&format!("  {document}")));
        source.hidden.iter().for_each(|id| output::line(&format!("  kept back by a rule: {id}")));
        let refused =
            |rejected: &ingest::record::Rejected| format!("  refused: {}: {}", rejected.key, rejected.reason);
        source.rejected.iter().for_each(|rejected| output::line(&refused(rejected)));
    }
    let mut table = output::table();
    table.set_header(["field", "values suggest", "schema has"]);
    for field in &fields {
        let many = if field.multi_valued { ", multi-valued" } else { "" };
        table.add_row([&field.name, &format!("{}{many}", field.kind), field.there.as_deref().unwrap_or("-")]);
    }
    output::line(&table.to_string());
    match (compared, edits) {
        (Err(error), _) => output::note(&format!("the target could not be asked for its schema: {error}")),
        (Ok(false), _) => output::note("there is no such collection yet: a run makes it from its configset"),
        (Ok(true), None) => output::line("the schema has every field"),
        (Ok(true), Some(edits)) => {
            output::line(&format!(
                "edits for {}/{}/schema, unless the schema is to guess:\n{edits}",
                config.target.url, config.target.collection
            ));
        }
    }
    Ok(())
}

pub async fn show_why(args: &WhyArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let answers = why::why(&config, &args.key, now()).await?;
    if args.file.json {
        output::json(&json!(answers));
        return Ok(());
    }
    for answer in answers {
        output::line(&format!("source `{}`, row `{}`: {}", answer.source, args.key, answer.summary()));
        answer.rules.iter().for_each(|rule| output::line(&format!("  {rule}")));
    }
    Ok(())
}
