//! The command line as clap sees it: every command with its help. No behaviour: `main.rs` calls the command's
//! own file, which has its flags as well. Completions and manual pages are made of it. Doc comments here are
//! the help that users read, so they say what a command does for them and not how.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::advise::AdviseArgs;
#[cfg(target_os = "linux")]
use crate::cluster_tool::ClusterToolArgs;
use crate::demo::DemoArgs;
#[cfg(target_os = "linux")]
use crate::doctor::DoctorArgs;
use crate::ingest::IngestArgs;
use crate::lab::LabArgs;
use crate::post::PostArgs;
use crate::queries::QueriesArgs;
use crate::query::QueryArgs;
use crate::relay::RelayArgs;
use crate::relevance::RelevanceArgs;
use crate::schema::SchemaArgs;
use crate::serve::ServeArgs;
use crate::slow::SlowArgs;
use crate::store_tool::StoreToolArgs;

/// A search server that speaks Apache Solr's HTTP API, in one binary.
#[derive(Debug, Parser)]
#[command(
    name = "parhelion",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  parhelion demo                         index the sources of the crates on this machine, then serve them
  parhelion serve --data-dir ./data      a server on http://127.0.0.1:8983/solr
  parhelion post -c notes docs/*.md      send files to the collection `notes`
  parhelion query -c notes 'text:merge'  ask it"
)]
pub struct Cli {
    /// What goes to the log on standard error: error, warn, info, debug or trace. At debug every request is a
    /// line.
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn", env = "PARHELION_LOG")]
    pub log: tracing::level_filters::LevelFilter,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve collections over Solr's HTTP API.
    Serve(ServeArgs),
    /// Start a cluster on this machine with one command, look at it, lose a node, stop it.
    #[cfg(target_os = "linux")]
    Cluster(ClusterToolArgs),
    /// Index real files from this machine, show what to try, and serve them.
    Demo(DemoArgs),
    /// Send files, folders or standard input to a collection.
    Post(PostArgs),
    /// Keep a collection in step with databases, files and other Solrs, as a file says.
    Ingest(IngestArgs),
    /// Ask a collection and print the hits as a table or as JSON.
    Query(QueryArgs),
    /// Change a collection's schema with its documents: see what an edit means, make it, undo it.
    Schema(SchemaArgs),
    /// Show what is searched for: most often, without a hit, slowest. Read from the query log of a server.
    Queries(QueriesArgs),
    /// Say which fields, ranges and filters of a collection cost more than they are used, by the query log of
    /// a server.
    Advise(AdviseArgs),
    /// Show the last requests that were slow, and where their time went.
    Slow(SlowArgs),
    /// Find out why a process of this machine hangs or is slow, and what of the host will hurt next.
    #[cfg(target_os = "linux")]
    Doctor(DoctorArgs),
    /// Look after what lies in a bucket or a data directory: read it again, compare it, make it anew, move
    /// it.
    Store(StoreToolArgs),
    /// Stand beside an application whose client cannot be changed, and be a better client for it.
    Relay(RelayArgs),
    /// Run a benchmark against a server, and a Solr beside it.
    Lab(LabArgs),
    /// Measure how well a collection answers judged queries.
    Relevance(RelevanceArgs),
    /// Print a completion script for a shell.
    ///
    /// For bash: `parhelion completions bash > /etc/bash_completion.d/parhelion`.
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write one page a command into a folder.
    Man {
        /// Write `parhelion.1`, `parhelion-serve.1` … here.
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// An argument of a command that bears a global one's name would be read as that one's type: a panic that
    /// clap's own check does not foresee.
    #[test]
    fn no_command_takes_the_name_of_a_global_argument() {
        fn check(command: &clap::Command, globals: &[clap::Id]) {
            for below in command.get_subcommands() {
                let taken = below.get_arguments().find(|it| globals.contains(it.get_id()));
                assert!(taken.is_none(), "`{}`: {taken:?}", below.get_name());
                check(below, globals);
            }
        }
        let cli = Cli::command();
        let globals: Vec<_> =
            cli.get_arguments().filter(|it| it.is_global_set()).map(|it| it.get_id().clone()).collect();
        assert!(!globals.is_empty());
        check(&cli, &globals);
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
