//! The binary: wiring and command line only. Each command is one file; errors are printed once, here, and
//! decide the exit code: 0 done, 1 failed, 2 wrong usage (clap's). The order at the start matters: the
//! processor is checked first, then the allocator and the log are set up, and only then a runtime is made: no
//! thread may start before.

mod advise;
mod allocator;
mod ambient;
mod cli;
#[cfg(target_os = "linux")]
mod cluster_tool;
mod configsets;
mod demo;
#[cfg(target_os = "linux")]
mod doctor;
mod follow;
mod guard;
mod ingest;
mod lab;
mod limits;
mod listen;
mod login;
mod logs;
mod machine;
mod manual;
mod members;
mod memory;
mod object_store;
mod output;
mod post;
#[cfg(target_arch = "x86_64")]
mod processor;
mod queries;
mod query;
mod query_log;
mod relay;
mod relevance;
mod remote;
mod schema;
mod serve;
mod server;
mod slow;
mod store_tool;
mod usage;
mod watch;
mod zookeeper;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::logs::ProcessLogs;

fn main() -> ExitCode {
    #[cfg(target_arch = "x86_64")]
    if let Err(error) = processor::check() {
        output::error(&error);
        return ExitCode::FAILURE;
    }
    start()
}

/// Apart, so that nothing of it runs before the processor is known.
#[inline(never)]
fn start() -> ExitCode {
    allocator::keep_for_reuse();
    let cli = Cli::parse();
    let logs = logs::start(cli.log);
    match run(cli, logs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli, logs: Arc<ProcessLogs>) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(args) => block_on(serve::run(args, logs)),
        #[cfg(target_os = "linux")]
        Command::Cluster(args) => block_on(cluster_tool::run(args, cli.log)),
        Command::Demo(args) => block_on(demo::run(args, cli.log)),
        Command::Post(args) => block_on(post::run(args)),
        Command::Ingest(args) => block_on(ingest::run(args)),
        Command::Schema(args) => block_on(schema::run(args)),
        Command::Query(args) => block_on(query::run(args)),
        Command::Queries(args) => queries::run(args),
        Command::Advise(args) => block_on(advise::run(args)),
        Command::Slow(args) => block_on(slow::run(args)),
        Command::Lab(args) => block_on(lab::run(args)),
        #[cfg(target_os = "linux")]
        Command::Doctor(args) => block_on(doctor::run(args)),
        Command::Store(args) => store_tool::run(args),
        Command::Relay(args) => block_on(relay::run(args)),
        Command::Relevance(args) => block_on(relevance::run(args)),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { dir } => manual::pages(dir.as_deref()),
    }
}

fn block_on(task: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().thread_stack_size(http::STACK_BYTES).build()?.block_on(task)
}
