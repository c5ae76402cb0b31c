//! Completion scripts and manual pages, generated from the command line's own definition: neither can say
//! what a command does not do. For packages and for `parhelion completions`; the texts are those of `--help`,
//! which are doc comments of the arguments.

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output;

pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parhelion", &mut script);
    output::write_stdout(&script);
    Ok(())
}

/// The main page to standard output, or all pages into `dir`.
pub fn pages(dir: Option<&Path>) -> anyhow::Result<()> {
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        output::write_stdout(&page);
        return Ok(());
    };
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the folder `{}`", dir.display()))?;
    clap_mangen::generate_to(Cli::command(), dir)
        .with_context(|| format!("cannot write to `{}`", dir.display()))?;
    output::note(&format!("manual pages written to {}", dir.display()));
    Ok(())
}
