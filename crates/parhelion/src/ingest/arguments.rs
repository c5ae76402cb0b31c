//! What the commands of `parhelion ingest` take: each the file, most of them more. Their words are the help
//! and the manual. Read by clap, used by the files beside, which decide what an argument means; nothing is
//! checked here.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct FileArgs {
    /// What to read and where to send it: see docs/ingest.md.
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OnceArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Give up when more rows than this are refused; they are in the state folder with the reasons.
    #[arg(long, value_name = "ROWS", default_value_t = 0)]
    pub max_errors: u64,
    /// Begin anew, though an unfinished run could go on.
    #[arg(long)]
    pub fresh: bool,
}

#[derive(Debug, Args)]
pub struct InstallArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Show the statements, and run none.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct WhyArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Of the row, as the source's key column has it.
    #[arg(value_name = "KEY")]
    pub key: String,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Make the collection what the sources are.
    #[arg(long)]
    pub repair: bool,
}

#[derive(Debug, Args)]
pub struct ResetArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Forget it; without this, only show it.
    #[arg(long)]
    pub yes: bool,
}
