//! `parhelion serve`: a node where it is told to listen, until it is told to stop. Flags and their defaults;
//! opening, listening and closing are `server.rs`, which `demo` shares. Flags have environment variables of
//! their names, for containers; a flag counts before its variable.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use http::Compress;

use crate::limits::LimitArgs;
use crate::listen::{ListenAddress, load_tls};
use crate::logs::ProcessLogs;
use crate::object_store::StoreArgs;
use crate::output;
use crate::query_log::QueryLogArgs;
use crate::server::{Server, ServerArgs, interrupted};
use crate::zookeeper::ZooKeeperArgs;

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on. Anything but loopback needs --security or --insecure-open.
    #[arg(long, default_value = "127.0.0.1", env = "PARHELION_HOST")]
    host: String,
    /// The port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 8983, env = "PARHELION_PORT")]
    port: u16,
    /// Listen here instead of on --host and --port: HOST:PORT, or unix:PATH for a socket in the file system.
    /// May be given several times.
    #[arg(long, value_name = "WHERE", env = "PARHELION_LISTEN", value_delimiter = ',')]
    listen: Vec<ListenAddress>,
    /// Speak TLS on every address: the server's certificate in PEM, followed by its issuers'.
    #[arg(long, value_name = "FILE", requires = "tls_key", env = "PARHELION_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM without a password.
    #[arg(long, value_name = "FILE", requires = "tls_cert", env = "PARHELION_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Who may do what: a security.json as Solr has it, brought into the data folder at the first start. The
    /// data folder's own counts from then on, and is changed over HTTP.
    #[arg(long, value_name = "FILE", env = "PARHELION_SECURITY")]
    security: Option<PathBuf>,
    /// Listen beyond loopback though nobody has to log in: whoever reaches the address may do everything.
    #[arg(long, env = "PARHELION_INSECURE_OPEN")]
    insecure_open: bool,
    /// Whose answers are packed (zstd, br, gzip) if they take it: clients on other machines, all, or none.
    #[arg(long, value_name = "WHOSE", value_enum, default_value_t, env = "PARHELION_COMPRESS")]
    compress: CompressArg,
    /// Where collections are kept; made when missing.
    #[arg(long, value_name = "DIR", default_value = "parhelion-data", env = "PARHELION_DATA_DIR")]
    data_dir: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    zookeeper: ZooKeeperArgs,
    /// The only place below which backups are made and found; without it there are none. A folder, or the URL
    /// of a bucket or a prefix of its own, as --store takes it.
    #[arg(long, value_name = "DIR|URL", env = "PARHELION_BACKUP_DIR")]
    backup_dir: Option<String>,
    /// A folder whose children are configsets, as Solr keeps them; `_default` is built in.
    #[arg(long, value_name = "DIR", env = "PARHELION_CONFIGSET_DIR")]
    configset_dir: Option<PathBuf>,
    /// Answer every request afresh: keep no answers, results, filters or documents. For measurements.
    #[arg(long, env = "PARHELION_NO_CACHE")]
    no_cache: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    query_log: QueryLogArgs,
}

/// As the command line names them.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum CompressArg {
    Never,
    #[default]
    Far,
    Always,
}

impl From<CompressArg> for Compress {
    fn from(arg: CompressArg) -> Self {
        match arg {
            CompressArg::Never => Compress::Never,
            CompressArg::Far => Compress::Far,
            CompressArg::Always => Compress::Always,
        }
    }
}

pub async fn run(args: ServeArgs, logs: Arc<ProcessLogs>) -> anyhow::Result<()> {
    let shown = args.store.store.clone().unwrap_or_else(|| args.data_dir.display().to_string());
    let server = Server::start(ServerArgs { logs: Some(logs), ..server_args(args)? }).await?;
    output::line(&format!("serving {} (data in {shown}); stop with Ctrl-C", server.places().join(" and ")));
    interrupted().await;
    output::note("stopping");
    server.stop().await
}

fn server_args(args: ServeArgs) -> anyhow::Result<ServerArgs> {
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificates), Some(key)) => Some(load_tls(certificates, key)?),
        _ => None,
    };
    let places =
        if args.listen.is_empty() { vec![ListenAddress::Address(args.host, args.port)] } else { args.listen };
    Ok(ServerArgs {
        places,
        tls,
        compress: args.compress.into(),
        data_dir: args.data_dir,
        store: Some(args.store),
        zookeeper: args.zookeeper,
        security: args.security,
        insecure_open: args.insecure_open,
        backup_dir: args.backup_dir,
        configset_dir: args.configset_dir,
        cache: !args.no_cache,
        limits: args.limits,
        query_log: Some(args.query_log),
        logs: None,
    })
}
