//! `parhelion ingest`: the ingest service on the command line. What it does is the crate's; here it is asked
//! for and shown. In: arguments and a file; out: a summary, tables or a dry run on standard output, and an
//! exit code. The commands are here, what each takes is `arguments`', what it does is in a file by topic.

mod arguments;
mod compare;
mod control;
mod index;
mod preview;
mod progress;

use clap::{Args, Subcommand};

use arguments::{DiffArgs, FileArgs, InstallArgs, OnceArgs, ResetArgs, WhyArgs};
use control::Install;

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
    /// Make the running service stop applying changes, until `resume`. It holds also for services that start
    /// later.
    Pause(FileArgs),
    /// Let the service go on that `pause` has stopped.
    Resume(FileArgs),
    /// Forget where runs and services are, so that the next one begins with a fresh snapshot. Shows what
    /// that is, unless `--yes`.
    Reset(ResetArgs),
    /// Show where the last run stands, and what the service does.
    Status(FileArgs),
}

pub async fn run(args: IngestArgs) -> anyhow::Result<()> {
    match args.command {
        IngestCommand::Check(args) => preview::check(&args).await,
        IngestCommand::Plan(args) => preview::plan(&args).await,
        IngestCommand::Once(args) => index::once(&args).await,
        IngestCommand::Run(args) => index::serve(&args).await,
        IngestCommand::Install(args) => control::install(&args, Install::Write).await,
        IngestCommand::Uninstall(args) => control::install(&args, Install::TakeAway).await,
        IngestCommand::Why(args) => preview::show_why(&args).await,
        IngestCommand::Diff(args) => compare::compare(&args).await,
        IngestCommand::Rollback(args) => index::rollback(&args).await,
        IngestCommand::Pause(args) => control::pause(&args).await,
        IngestCommand::Resume(args) => control::resume(&args).await,
        IngestCommand::Reset(args) => control::reset(&args).await,
        IngestCommand::Status(args) => control::status(&args).await,
    }
}
