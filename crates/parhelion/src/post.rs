//! `parhelion post`: files, folders or standard input to a collection. Structured files (JSON, XML, CSV) go
//! as they are; sources and prose become one document a file. In: paths and a collection; out: update
//! requests, and a summary with what was passed over and why. Reading, splitting and sending is the crate
//! `ingest`'s (`post`). Sources with a schema of their own, and following them, are `parhelion ingest`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use clap::{Args, ValueEnum};
use client::SolrClient;
use indicatif::{ProgressBar, ProgressStyle};
use ingest::{Batcher, Format, Progress, Sender, Walked, files_below, read_source};
use serde_json::json;

use crate::output;
use crate::remote::Target;

#[derive(Debug, Args)]
pub struct PostArgs {
    #[command(flatten)]
    target: Target,
    /// Files and folders; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the input is; without it the extension decides, and standard input is JSON.
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Do not commit at the end; the collection's automatic commits make the documents visible.
    #[arg(long)]
    no_commit: bool,
    /// Say what would be sent, and send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    Json,
    /// One JSON document a line.
    Jsonl,
    Xml,
    Csv,
    Text,
}

impl From<FormatArg> for Format {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Json => Format::Json,
            FormatArg::Jsonl => Format::JsonLines,
            FormatArg::Xml => Format::Xml,
            FormatArg::Csv => Format::Csv,
            FormatArg::Text => Format::Text,
        }
    }
}

/// What was sent and what was passed over.
#[derive(Debug, Default)]
struct Summary {
    files: u64,
    skipped: u64,
    bytes: u64,
}

pub async fn run(args: PostArgs) -> anyhow::Result<()> {
    let client = args.target.remote.client()?;
    let (stdin, paths): (Vec<_>, Vec<_>) =
        args.files.iter().cloned().partition(|path| path == Path::new("-"));
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        bail!("`{}` does not exist; name files or folders, or - for standard input", missing.display());
    }
    let mut summary = Summary::default();
    if !stdin.is_empty() {
        post_stdin(&args, &client, &mut summary).await?;
    }
    let Walked { files, unreadable } = files_below(&paths);
    unreadable.iter().for_each(|path| output::note(&format!("warning: cannot read `{}`", path.display())));
    let (texts, structured): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| args.format_of(path) == Format::Text);
    let bar = progress_bar((texts.len() + structured.len()) as u64);
    for path in structured {
        let body = std::fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let format = args.format_of(&path);
        post_body(&args, &client, format, body, &mut summary)
            .await
            .with_context(|| path.display().to_string())?;
        bar.inc(1);
    }
    post_texts(&args, &client, texts, &bar, &mut summary).await?;
    bar.finish_and_clear();
    if !args.no_commit && !args.dry_run {
        let path = format!("{}/update", args.target.collection);
        client.get(&path, &[("commit", "true"), ("wt", "json")]).await?.ok()?;
    }
    summary.print(&args);
    ensure!(
        unreadable.is_empty(),
        "{} folders cannot be read, and what is in them was not sent; mend their permissions and post them again",
        unreadable.len()
    );
    Ok(())
}

impl PostArgs {
    fn format_of(&self, path: &Path) -> Format {
        self.format.map_or_else(|| Format::of(path), Format::from)
    }
}

async fn post_stdin(args: &PostArgs, client: &SolrClient, summary: &mut Summary) -> anyhow::Result<()> {
    let format = args.format.map_or(Format::Json, Format::from);
    if format == Format::Text {
        bail!("standard input as text has no name to be its id; give it as JSON with --format json");
    }
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body).context("cannot read standard input")?;
    post_body(args, client, format, body, summary).await
}

async fn post_body(
    args: &PostArgs,
    client: &SolrClient,
    format: Format,
    body: Vec<u8>,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    summary.files += 1;
    summary.bytes += body.len() as u64;
    if args.dry_run {
        return Ok(());
    }
    let payload = format.payload(&body);
    let path = format!("{}/{}", args.target.collection, payload.path);
    client.post(&path, &[("wt", "json")], payload.content_type, body.into()).await?.ok()?;
    Ok(())
}

async fn post_texts(
    args: &PostArgs,
    client: &SolrClient,
    paths: Vec<PathBuf>,
    bar: &ProgressBar,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let progress = Arc::new(Progress::default());
    let sender = Sender::start(client, &args.target.collection, 2, &progress);
    let queue = sender.queue();
    let (bar, dry_run) = (bar.clone(), args.dry_run);
    let reader = tokio::task::spawn_blocking(move || -> anyhow::Result<Summary> {
        let mut read = Summary::default();
        let mut batcher = Batcher::new(1000, 2 << 20);
        for path in paths {
            bar.inc(1);
            let Ok(source) = read_source(&path, &path.to_string_lossy(), None) else {
                read.skipped += 1;
                continue;
            };
            read.files += 1;
            read.bytes += source.size;
            let batch = if dry_run { None } else { batcher.push(&source, source.size)? };
            if batch.is_some_and(|batch| queue.blocking_send(batch).is_err()) {
                return Ok(read);
            }
        }
        if let Some(batch) = batcher.finish() {
            let _ = queue.blocking_send(batch);
        }
        Ok(read)
    });
    let read = reader.await??;
    sender.finish().await?;
    summary.files += read.files;
    summary.skipped += read.skipped;
    summary.bytes += read.bytes;
    Ok(())
}

fn progress_bar(files: u64) -> ProgressBar {
    if files < 2 || !output::on_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {per_sec}, {eta} left");
    ProgressBar::new(files).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Summary {
    fn print(&self, args: &PostArgs) {
        let Summary { files, skipped, bytes } = self;
        let collection = &args.target.collection;
        if args.json {
            let sent = !args.dry_run;
            return output::json(&json!({
                "collection": collection, "files": files, "skipped": skipped, "bytes": bytes, "sent": sent
            }));
        }
        let verb = if args.dry_run { "would send" } else { "sent" };
        let skipped = if *skipped == 0 {
            String::new()
        } else {
            format!(", {skipped} passed over (binary or too large)")
        };
        output::line(&format!("{verb} {files} files, {bytes} bytes, to `{collection}`{skipped}"));
    }
}
