//! `parhelion doctor cluster`: the command line of it; all asking and judging is the crate `doctor`'s. Here
//! are flags, the login, the choice between text and JSON, and the exit code, which is 1 only where the node
//! itself does not answer: findings are no failure of the command.

use std::time::Duration;

use ::doctor::cluster::{ClusterOptions, ask, lint};
use ::doctor::render;
use anyhow::bail;
use clap::Args;
use client::SolrUrl;
use meter::Clock as _;

use super::tls::TlsArgs;
use crate::ambient::SystemClock;
use crate::login::LoginArgs;
use crate::output;

/// What of a SolrCloud, a single Solr or a Parhelion will hurt next, by the admin API of its nodes.
///
/// Asks one node for the state of the cluster, and through it every node for its version, disk, figures and
/// the errors it keeps of its log; each node by itself for its clock, zone and certificates, and for the
/// schema and configuration that each replica works by. Reads only. `certain` hurts now, `likely` under load
/// or on a bad day, `hint` depends on what the cluster is for. What could not be learnt is listed. Solr 8 and
/// later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parhelion doctor cluster http://10.0.0.4:8983/solr      any node of it
  parhelion doctor cluster https://node/solr --user-file login --seconds 600
                                                          ten minutes between two looks
  parhelion doctor cluster https://node/solr --ca our-ca.pem
                                                          certificates of our own authority
  parhelion doctor cluster http://node/solr --json        for programs")]
pub struct ClusterArgs {
    /// URL of a node; `http://` and `/solr` may be left out.
    #[arg(value_name = "URL")]
    url: String,
    /// Between two looks at disks and counters, for forecast and hot shards; 0 for one look.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=86_400))]
    seconds: u64,
    /// Give up on an answer after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Print facts and findings as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tls: TlsArgs,
    #[command(flatten)]
    login: LoginArgs,
}

pub async fn run(args: ClusterArgs) -> anyhow::Result<()> {
    let options = ClusterOptions {
        tls: args.tls.tls()?,
        url: args.url.parse::<SolrUrl>()?.with_login(args.login.login()?),
        patience: Duration::from_secs(args.timeout),
        watch: Duration::from_secs(args.seconds),
        now_ms: || SystemClock.now_ms(),
    };
    let facts = ask(&options).await?;
    let findings = lint(&facts);
    if facts.nodes.is_empty() && findings.is_empty() {
        // One whose certificate nobody here trusts was not asked at all.
        if let Some(why) = facts.unseen.iter().find(|why| why.contains("--ca FILE")) {
            bail!("{why}");
        }
        bail!("what answers at {} is no Solr; write its URL as http://127.0.0.1:8983/solr", facts.url);
    }
    if args.json {
        output::json(&serde_json::json!({"findings": findings, "facts": facts}));
    } else {
        output::write_stdout(render::cluster(&facts, &findings).as_bytes());
    }
    Ok(())
}
