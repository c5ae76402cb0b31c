//! `parhelion lab run store`: shards at home in an S3 store whose answers are late by so much. Flags, the
//! proxy that makes them late, the servers that take over from one another, and the tables; what is sent
//! when, and what holds, is `lab`'s (`store_home`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use faultproxy::{Direction, FaultProxy, Faults};
use lab::{Side, StoreMeasured, StoreOptions, StoreTail, StoreTakeOver};
use tempfile::TempDir;
use uuid::Uuid;

use super::bounds;
use super::console::Watcher;
use super::own_server::{OwnServer, no_data};
use crate::output;

const COLLECTION: &str = "lab_store";

#[derive(Debug, Args)]
pub struct StoreHomeArgs {
    /// Where to put what the run writes, below a name of its own that stays there: s3://bucket/prefix.
    /// Credentials come from the environment.
    #[arg(long, value_name = "URL")]
    store: String,
    /// Where the store is reached, without TLS, since the proxy before it has no certificate for its name.
    #[arg(long, value_name = "URL", env = "AWS_ENDPOINT_URL")]
    endpoint: String,
    /// By how much each of its answers is late.
    #[arg(long, default_value_t = 20, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(0..=60_000))]
    delay: u64,
    /// Clients of the crowded arms.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    clients: u16,
    /// Of each measurement.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Documents that are there at first.
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(10..=100_000_000))]
    docs: u64,
    /// Documents that no flush has when a server is killed.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    tail: u64,
    /// Decides documents and arrivals.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print what came of it as JSON.
    #[arg(long)]
    json: bool,
}

/// The lab's own servers, one after the other, each over the same bucket. An error when a bound does not
/// hold, or when one that took over lacks anything.
pub async fn run(args: StoreHomeArgs) -> anyhow::Result<()> {
    let options = StoreOptions {
        docs: args.docs,
        seed: args.seed,
        delay: Duration::from_millis(args.delay),
        clients: args.clients.into(),
        duration: Duration::from_secs(args.seconds),
        tail: args.tail,
    };
    anyhow::ensure!(
        args.store.starts_with("s3://"),
        "`--store` is `{}`; give s3://bucket/prefix",
        args.store
    );
    let upstream = args.endpoint.strip_prefix("http://").with_context(|| {
        format!(
            "`--endpoint` is `{}`; give one that begins with http://, as of a store in a container",
            args.endpoint
        )
    })?;
    let proxy =
        FaultProxy::start(([127, 0, 0, 1], 0).into(), upstream.trim_end_matches('/'), args.seed).await?;
    proxy.set(Direction::ToClient, Faults { delay: options.delay, ..Faults::default() });
    let servers = Servers {
        store: format!("{}/{}", args.store.trim_end_matches('/'), Uuid::new_v4()),
        endpoint: format!("http://{}", proxy.address()),
    };
    let watch: Arc<dyn lab::Watch> = Arc::new(Watcher::default());
    let first = servers.start(no_data()?).await?;
    let updates = lab::store_updates(options, side(&first), watch.clone()).await?;
    watch.note("killed, and taken over with its files");
    let had = lab::store_tail(options, &side(&first), 0).await?;
    let (second, warm) = servers.take_over(options, first.kill(), had).await?;
    watch.note("killed, and taken over without");
    let had = lab::store_tail(options, &side(&second), 1).await?;
    drop(second);
    let (_third, cold) = servers.take_over(options, no_data()?, had).await?;
    let measured = lab::store_measured(options, updates, (warm, cold));
    if args.json {
        output::json(&serde_json::to_value(&measured)?);
    } else {
        print(&measured);
    }
    bounds::check(&measured.verdicts)
}

fn side(server: &OwnServer) -> Side {
    Side::new(server.url.clone(), COLLECTION)
}

/// Those of one store.
struct Servers {
    store: String,
    endpoint: String,
}

impl Servers {
    /// Off the runtime's threads, which carry what it asks of the store.
    async fn start(&self, data: TempDir) -> anyhow::Result<OwnServer> {
        let (store, endpoint) = (self.store.clone(), self.endpoint.clone());
        let start = move || {
            // Of the names of the endpoint the one that counts before all others.
            OwnServer::start_in(data, &["--store", &store], &[("AWS_ENDPOINT_URL_S3", &endpoint)])
        };
        tokio::task::spawn_blocking(start).await?
    }

    async fn take_over(
        &self,
        options: StoreOptions,
        data: TempDir,
        had: StoreTail,
    ) -> anyhow::Result<(OwnServer, StoreTakeOver)> {
        let began = Instant::now();
        let server = self.start(data).await?;
        let taken = lab::store_takeover(options, &side(&server), (had, began)).await?;
        Ok((server, taken))
    }
}

fn print(measured: &StoreMeasured) {
    let updates = &measured.updates;
    let mut table = output::table();
    table.set_header(["clients", "update p50 ms", "p99 ms", "updates/s"]);
    for arm in [updates.alone, updates.crowded] {
        table.add_row([
            arm.clients.to_string(),
            format!("{:.1}", arm.p50_ms),
            format!("{:.1}", arm.p99_ms),
            format!("{:.0}", arm.updates_per_second),
        ]);
    }
    output::line(&table.to_string());
    let mut table = output::table();
    table.set_header([
        "taken over",
        "documents",
        "log alone, bytes",
        "fetched, bytes",
        "searched s",
        "updated s",
    ]);
    for (name, taken) in [("warm", measured.warm), ("cold", measured.cold)] {
        table.add_row([
            name.to_owned(),
            taken.had.documents.to_string(),
            taken.had.tail_bytes.to_string(),
            taken.bytes_fetched.to_string(),
            format!("{:.2}", taken.searched_seconds),
            format!("{:.2}", taken.updated_seconds),
        ]);
    }
    output::line(&table.to_string());
    bounds::print(&measured.verdicts);
}
