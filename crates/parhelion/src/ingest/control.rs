//! `ingest install`, `pause`, `resume`, `reset` and `status`: the service of a file from outside, by what it
//! keeps in the database and in the state folder. None of these needs the service to be on this machine.

use ingest::config::{self, FollowKind};
use ingest::follow::{self, PauseChange, PipelineDatabase};
use ingest::mass::{RunTotals, StateFolder};
use ingest::reset::{self, Remembered};
use serde_json::json;

use super::arguments::{FileArgs, InstallArgs, ResetArgs};
use crate::ambient::new_holder;
use crate::output;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Install {
    Write,
    TakeAway,
}

pub async fn install(args: &InstallArgs, what: Install) -> anyhow::Result<()> {
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

pub async fn pause(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let PauseChange { changed, holder } = follow::pause(&config).await?;
    if args.json {
        output::json(&json!({ "changed": changed, "holder": holder }));
        return Ok(());
    }
    let file = args.file.display();
    let asked = if changed { "a pause is asked for" } else { "a pause was asked for already" };
    let then = match holder {
        Some(holder) => format!("{holder} ends what it is at, and waits"),
        None => "nobody is active, and who starts waits".to_owned(),
    };
    output::line(&format!("{asked}: {then}; `parhelion ingest status {file}` shows it"));
    output::note(&format!("`parhelion ingest resume {file}` goes on"));
    Ok(())
}

pub async fn resume(args: &FileArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file)?;
    let PauseChange { changed, holder } = follow::resume(&config).await?;
    if args.json {
        output::json(&json!({ "changed": changed, "holder": holder }));
        return Ok(());
    }
    let ended = if changed { "the pause is over" } else { "there was no pause" };
    let then = holder.map_or_else(
        || format!("nobody is active; start `parhelion ingest run {}`", args.file.display()),
        |holder| format!("{holder} is active"),
    );
    output::line(&format!("{ended}: {then}"));
    Ok(())
}

pub async fn reset(args: &ResetArgs) -> anyhow::Result<()> {
    let config = config::load(&args.file.file)?;
    let remembered = if args.yes {
        reset::reset(&config, &new_holder()).await?
    } else {
        reset::remembered(&config).await?
    };
    if args.file.json {
        output::json(&json!({ "done": args.yes, "remembered": remembered }));
        return Ok(());
    }
    if remembered.is_nothing() {
        output::line("nothing is remembered: the next run begins with a fresh snapshot as it is");
        return Ok(());
    }
    output::line(if args.yes { "forgotten:" } else { "would be forgotten:" });
    remembered_lines(&remembered).iter().for_each(|line| output::line(&format!("  {line}")));
    if args.yes {
        output::line("the next run begins with a fresh snapshot");
        return Ok(());
    }
    if let Some(holder) = &remembered.holder {
        output::note(&format!("{holder} is active: stop it first"));
    }
    output::note(&format!(
        "nothing was changed; `parhelion ingest reset {} --yes` does it",
        args.file.file.display()
    ));
    Ok(())
}

fn remembered_lines(remembered: &Remembered) -> Vec<String> {
    let Remembered { unfinished_run, indexed, positions, holder: _ } = remembered;
    let run = unfinished_run.as_ref();
    let run = run.map(|run| format!("run {}, broken off after {} rows", run.run, run.rows));
    let indexed = indexed.then(|| "that a service has indexed everything, or is about to".to_owned());
    let positions = positions.iter().map(|source| format!("up to where `{source}` was looked through"));
    run.into_iter().chain(indexed).chain(positions).collect()
}

pub async fn status(args: &FileArgs) -> anyhow::Result<()> {
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
