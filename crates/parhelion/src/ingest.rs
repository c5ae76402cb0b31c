//! `parhelion ingest`: the ingest service on the command line. What it does is the crate's; here it is asked
//! for and shown. In: arguments and a file; out: a summary, tables or a dry run on standard output, and an
//! exit code.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use ingest::config::{self, FollowKind, IngestConfig};
use ingest::diff::{Diff, DiffReport, DifferenceKind};
use ingest::follow::{self, PipelineDatabase, Service, ServiceEvent, ServiceOptions};
use ingest::mass::{self, MassIndex, OnProgress, RunOptions, RunReport, RunTotals, StateFolder};
use ingest::record::Rejected;
use ingest::{preview, why};
use jiff::Timestamp;
use meter::Clock as _;
use serde_json::json;

use crate::ambient::SystemClock;
use crate::output;

#[derive(Debug, Args)]
pub struct IngestArgs {
    #[command(subcommand)]
    command: IngestCommand,
}

#[derive(Debug, Subcommand)]
enum IngestCommand {
    /// Say what is wrong with a file, its sources and its target, all at once.
    Check(FileArgs),
    /// Show ten documents of each source, the schema they want, and the edits that give it to them. Writes
    /// nothing.
    Plan(FileArgs),
    /// Index everything into a new collection, verify it, and move the alias to it. Goes on where it was
    /// killed.
    Once(OnceArgs),
    /// Index everything once, then follow changes and rows that become due, as the one active of several
    /// services.
    Run(OnceArgs),
    /// Write the tables and triggers, or the publication and slot, that following wants of a database.
    Install(InstallArgs),
    /// Take away what `install` wrote.
    Uninstall(InstallArgs),
    /// Say why a row is visible or not, and when that changes.
    Why(WhyArgs),
    /// Compare the collection with its sources, by digests, while both may change.
    Diff(DiffArgs),
    /// Put the collection before the last run in place again.
    Rollback(FileArgs),
    /// Show where the last run stands.
    Status(FileArgs),
}

#[derive(Debug, Args)]
struct FileArgs {
    /// What to read and where to send it: see docs/ingest.md.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct OnceArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Give up when more rows than this are refused; they are in the state folder with the reasons.
    #[arg(long, value_name = "ROWS", default_value_t = 0)]
    max_errors: u64,
    /// Begin anew, though an unfinished run could go on.
    #[arg(long)]
    fresh: bool,
}

#[derive(Debug, Args)]
struct InstallArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Show the statements, and run none.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
struct WhyArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Of the row, as the source's key column has it.
    #[arg(value_name = "KEY")]
    key: String,
}

#[derive(Debug, Args)]
struct DiffArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Make the collection what the sources are.
    #[arg(long)]
    repair: bool,
}

pub async fn run(args: IngestArgs) -> anyhow::Result<()> {
    match args.command {
        IngestCommand::Check(args) => check(&args).await,
        IngestCommand::Plan(args) => plan(&args).await,
        IngestCommand::Once(args) => once(&args).await,
        IngestCommand::Run(args) => serve(&args).await,
        IngestCommand::Install(args) => install(&args, Install::Write).await,
        IngestCommand::Uninstall(args) => install(&args, Install::TakeAway).await,
        IngestCommand::Why(args) => why(&args).await,
        IngestCommand::Diff(args) => compare(&args).await,
        IngestCommand::Rollback(args) => rollback(&args).await,
        IngestCommand::Status(args) => status(&args).await,
    }
}

fn now() -> Timestamp {
    Timestamp::from_millisecond(SystemClock.now_ms()).unwrap_or(Timestamp::UNIX_EPOCH)
}

async fn check(args: &FileArgs) -> anyhow::Result<()> {
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

async fn plan(args: &FileArgs) -> anyhow::Result<()> {
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

async fn once(args: &OnceArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let report = index(&config, args).await?;
    print_report(&report, args.file.json);
    Ok(())
}

async fn index(config: &IngestConfig, args: &OnceArgs) -> anyhow::Result<RunReport> {
    let bar = progress_bar();
    let options = RunOptions { errors_max: args.max_errors, fresh: args.fresh };
    let run = MassIndex::new(config, Arc::new(now), options, on_progress(&bar))?;
    let report = run.run().await;
    bar.finish_and_clear();
    Ok(report?)
}

fn progress_bar() -> ProgressBar {
    if !output::on_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows, {per_sec}, {eta} left{msg}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn on_progress(bar: &ProgressBar) -> OnProgress {
    let bar = bar.clone();
    Arc::new(move |totals: RunTotals, rows| {
        if let Some(rows) = rows {
            bar.set_length(rows);
        }
        bar.set_position(totals.rows());
        if totals.rejected > 0 {
            bar.set_message(format!(", {} refused", totals.rejected));
        }
    })
}

fn print_report(report: &RunReport, as_json: bool) {
    if as_json {
        return output::json(&json!(report));
    }
    if let Some(reason) = &report.begun_anew {
        output::note(&format!("{reason}: everything was read anew"));
    }
    let RunTotals { sent, hidden, rejected } = report.totals;
    output::line(&format!("run {}: {sent} documents in `{}`", report.run, report.collection));
    if hidden > 0 {
        output::line(&format!("{hidden} rows kept back by publish rules"));
    }
    if let Some(file) = &report.dead_letters {
        output::line(&format!("{rejected} rows refused: {file}"));
    }
    if let Some(previous) = &report.previous {
        output::line(&format!("`{previous}` is kept: `parhelion ingest rollback` goes back to it"));
    }
}

async fn rollback(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let (from, to) = mass::rollback(&config).await?;
    if args.json {
        output::json(&json!({ "from": from, "to": to }));
    } else {
        output::line(&format!("`{}` is `{to}` again; `{from}` is kept", config.target.collection));
    }
    Ok(())
}

async fn serve(args: &OnceArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let bar = progress_bar();
    let on_event = |event: ServiceEvent| match event {
        ServiceEvent::Standby { behind } => tracing::debug!(%behind, "standing by"),
        ServiceEvent::Active { token } => output::note(&format!("active with token {token}")),
        ServiceEvent::Following => output::note("following changes"),
        ServiceEvent::Applied { documents, deletes, rejected } => {
            tracing::debug!(documents, deletes, rejected, "changes are indexed");
        }
        ServiceEvent::Trouble(words) => output::note(&format!("trouble: {words}; it goes on by itself")),
    };
    let options = ServiceOptions {
        run: RunOptions { errors_max: args.max_errors, fresh: args.fresh },
        holder: format!("{}-{}", std::process::id(), crate::ambient::new_uuid()),
        on_event: Box::new(on_event),
        on_progress: on_progress(&bar),
    };
    let service = Service::new(&config, Arc::new(now), options)?;
    service.run(stopped()).await?;
    Ok(())
}

/// Ctrl-C, or what a service manager sends.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Install {
    Write,
    TakeAway,
}

async fn install(args: &InstallArgs, what: Install) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    for source in &config.sources {
        let Some(postgres) = &source.postgres else { continue };
        let sql = match what {
            Install::Write => follow::install_sql(&config, source, postgres),
            Install::TakeAway => follow::uninstall_sql(&config, source, postgres),
        };
        if args.dry_run {
            output::line(sql.trim_end());
            continue;
        }
        let database = PipelineDatabase::new(&config.name, &source.name, postgres)?;
        follow::run_sql(&database, &sql).await?;
        if what == Install::Write && postgres.follow == FollowKind::Replication {
            follow::make_slot(&database, &follow::slot_name(&config, source)).await?;
        }
        let done = if what == Install::Write { "is ready to be followed" } else { "is as before" };
        output::line(&format!("source `{}` {done}", source.name));
    }
    Ok(())
}

async fn why(args: &WhyArgs) -> anyhow::Result<()> {
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

/// Ids that are shown; `--json` shows all.
const SHOWN_MAX: usize = 20;

async fn compare(args: &DiffArgs) -> anyhow::Result<()> {
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

async fn status(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let state = StateFolder::open(&config.state.dir.clone().unwrap_or_default())?.load()?;
    if args.json {
        output::json(&json!({ "run": state, "following": follow::status(&config).await? }));
        return Ok(());
    }
    let RunTotals { sent, hidden, rejected } = state.totals();
    let phase = serde_json::to_value(state.phase)?;
    output::line(&format!(
        "run {}: {}, {sent} sent, {hidden} kept back, {rejected} refused, begun again {} times",
        state.run,
        phase.as_str().unwrap_or_default(),
        state.resumed
    ));
    // What is known here is shown also where the database cannot be asked.
    follow::status(&config).await?.iter().for_each(|source| output::line(&source.to_string()));
    Ok(())
}
