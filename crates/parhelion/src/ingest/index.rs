//! `ingest once`, `run` and `rollback`: everything is indexed, changes are followed. Here is what a person at
//! the terminal, or a log, sees of it.

use std::sync::Arc;

use ingest::config::{self, IngestConfig};
use ingest::follow::{Service, ServiceEvent, ServiceOptions};
use ingest::mass::{self, MassIndex, RunOptions, RunReport, RunTotals};
use serde_json::json;

use super::arguments::{FileArgs, OnceArgs};
use super::progress::Progress;
use crate::ambient::{new_holder, now};
use crate::output;

pub async fn once(args: &OnceArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let report = index(&config, args).await?;
    print_report(&report, args.file.json);
    Ok(())
}

async fn index(config: &IngestConfig, args: &OnceArgs) -> anyhow::Result<RunReport> {
    let progress = Progress::shown();
    let options = RunOptions { errors_max: args.max_errors, fresh: args.fresh };
    let run = MassIndex::new(config, Arc::new(now), options, progress.on_progress())?;
    let report = run.run().await;
    progress.end();
    Ok(report?)
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

pub async fn rollback(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let (from, to) = mass::rollback(&config).await?;
    if args.json {
        output::json(&json!({ "from": from, "to": to }));
    } else {
        output::line(&format!("`{}` is `{to}` again; `{from}` is kept", config.target.collection));
    }
    Ok(())
}

pub async fn serve(args: &OnceArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let progress = Progress::shown();
    let at_end = progress.clone();
    let on_event = move |event: ServiceEvent| match event {
        ServiceEvent::Standby { behind } => tracing::debug!(%behind, "standing by"),
        ServiceEvent::Active { token } => output::note(&format!("active with token {token}")),
        ServiceEvent::Following => {
            at_end.end();
            output::note("following changes");
        }
        ServiceEvent::Applied { documents, deletes, rejected } => {
            tracing::debug!(documents, deletes, rejected, "changes are indexed");
        }
        ServiceEvent::Paused => output::note("paused: changes wait until `parhelion ingest resume`"),
        ServiceEvent::Resumed => output::note("going on after the pause"),
        ServiceEvent::Trouble(words) => output::note(&format!("trouble: {words}; it goes on by itself")),
    };
    let options = ServiceOptions {
        run: RunOptions { errors_max: args.max_errors, fresh: args.fresh },
        holder: new_holder(),
        on_event: Box::new(on_event),
        on_progress: progress.on_progress(),
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
