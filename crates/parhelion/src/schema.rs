//! `parhelion schema`: an edit of a schema that counts for the documents that are there. `plan` says what it
//! means and does nothing; `apply` rebuilds in the background; `status` tells how far it is; `undo` goes
//! back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use client::SolrClient;
use serde_json::Value;

use crate::output;
use crate::remote::Target;

/// Between two looks at a rebuild.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub struct SchemaArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show which fields an edit changes for the documents that are there, how many, and how long a rebuild
    /// takes. Does nothing.
    Plan(EditArgs),
    /// Make the edit and rebuild the documents under it. Searches and updates go on; the old index serves
    /// until the new one is whole.
    Apply(EditArgs),
    /// Tell how far a rebuild is.
    Status(PlainArgs),
    /// Rebuild under the schema before the last `apply`. Updates made since stay.
    Undo(PlainArgs),
}

#[derive(Debug, Args)]
struct EditArgs {
    #[command(flatten)]
    plain: PlainArgs,
    /// The edit: commands of Solr's Schema API as JSON, or a file with them; `{}` rebuilds under the schema
    /// as it is.
    #[arg(value_name = "JSON|FILE")]
    edit: String,
}

#[derive(Debug, Args)]
struct PlainArgs {
    #[command(flatten)]
    target: Target,
    /// Print the server's JSON answer as it is.
    #[arg(long)]
    json: bool,
    /// Return at once instead of waiting for the end of a rebuild.
    #[arg(long)]
    no_wait: bool,
}

pub async fn run(args: SchemaArgs) -> anyhow::Result<()> {
    match args.action {
        Action::Plan(args) => {
            let plan = args.plain.post("schema/plan", args.body()?).await?;
            args.plain.print(&plan, print_plan)
        }
        Action::Apply(args) => {
            let started = args.plain.post("schema/apply", args.body()?).await?;
            if !args.plain.json {
                print_plan(&started)?;
            }
            args.plain.finish(started).await
        }
        Action::Status(args) => args.print(&args.status().await?, print_status),
        Action::Undo(args) => {
            let started = args.post("schema/undo", "{}".to_owned()).await?;
            args.finish(started).await
        }
    }
}

impl EditArgs {
    fn body(&self) -> anyhow::Result<String> {
        if self.edit.trim_start().starts_with('{') {
            return Ok(self.edit.clone());
        }
        let path = Path::new(&self.edit);
        std::fs::read_to_string(path).with_context(|| {
            format!(
                "cannot read `{}`; give the commands as JSON, or a file with them",
                PathBuf::from(path).display()
            )
        })
    }
}

impl PlainArgs {
    fn client(&self) -> anyhow::Result<SolrClient> {
        self.target.remote.client()
    }

    async fn post(&self, path: &str, body: String) -> anyhow::Result<Value> {
        let path = format!("{}/{path}", self.target.collection);
        let sent = self.client()?.post(&path, &[], "application/json", body.into()).await?;
        Ok(sent.ok()?.json()?)
    }

    async fn status(&self) -> anyhow::Result<Value> {
        let path = format!("{}/schema/apply", self.target.collection);
        Ok(self.client()?.get(&path, &[]).await?.ok()?.json()?)
    }

    /// Waits for the end of a rebuild, unless asked not to.
    async fn finish(&self, started: Value) -> anyhow::Result<()> {
        let mut seen = started;
        while !self.no_wait && state(&seen) == Some("running") {
            tokio::time::sleep(PAUSE).await;
            seen = self.status().await?;
        }
        self.print(&seen, print_status)?;
        match seen.pointer("/rebuild/failure").and_then(Value::as_str) {
            Some(failure) => bail!("the rebuild failed, the index is as it was: {failure}"),
            None => Ok(()),
        }
    }

    fn print(&self, answer: &Value, print: fn(&Value) -> anyhow::Result<()>) -> anyhow::Result<()> {
        if self.json {
            output::json(answer);
            return Ok(());
        }
        print(answer)
    }
}

fn state(answer: &Value) -> Option<&str> {
    answer.pointer("/rebuild/state").and_then(Value::as_str)
}

fn print_plan(answer: &Value) -> anyhow::Result<()> {
    let plan = answer.get("plan").context("the answer has no `plan`; print it with --json")?;
    let fields = plan.get("fields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if fields.is_empty() {
        output::line("no document has to be rebuilt");
        return Ok(());
    }
    let mut table = output::table();
    table.set_header(["field", "documents", "changes", "lost"]);
    for field in fields {
        let text = |name: &str| field.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let changes = field.get("changes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let changes: Vec<_> = changes.iter().filter_map(Value::as_str).collect();
        let documents = field.get("documents").map(Value::to_string).unwrap_or_default();
        table.add_row([text("name"), documents, changes.join("; "), text("lost")]);
    }
    output::line(&table.to_string());
    let number = |name: &str| plan.get(name).and_then(Value::as_u64).unwrap_or_default();
    output::line(&format!(
        "{} documents to rebuild, about {} s",
        number("documents"),
        number("estimatedSeconds").max(1)
    ));
    Ok(())
}

fn print_status(answer: &Value) -> anyhow::Result<()> {
    let rebuild = answer.get("rebuild").context("the answer has no `rebuild`; print it with --json")?;
    let number = |name: &str| rebuild.get(name).and_then(Value::as_u64).unwrap_or_default();
    output::line(&format!(
        "rebuild: {}; {} documents, {} bytes copied in {} ms",
        state(answer).unwrap_or("unknown"),
        number("documents"),
        number("copiedBytes"),
        number("elapsedMs")
    ));
    Ok(())
}
