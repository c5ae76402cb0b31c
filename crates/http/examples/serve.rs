//! A node on an address of your choice, without the program around it: `cargo run --example serve --
//! 127.0.0.1:0 FOLDER`. For profilers and debuggers, and for whoever wants to see how little a node needs: a
//! clock, a folder, a socket.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cluster::{Node, NodeConfig};
use http::{Configset, Configsets, Listener, ServeConfig};
use tokio::net::TcpListener;

struct SystemClock;

impl meter::Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now_ms(&self) -> i64 {
        let age = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("name an address, such as 127.0.0.1:8983")?;
    let folder = arguments.next().ok_or("name a folder for the data")?;
    let listener = TcpListener::bind(&address).await?;
    let node = Node::open(NodeConfig {
        data_dir: folder.into(),
        clock: Arc::new(SystemClock),
        shards: cluster::engine_shards(
            cluster::CacheSizes::default(),
            std::sync::Arc::new(cluster::ThreadScheduler),
        ),
        name: format!("{}_solr", listener.local_addr()?),
    })?;
    let mut configsets = Configsets::default();
    configsets.insert("_default", builtin()?);
    let config = ServeConfig::new(configsets, Arc::new(|| "00000000-0000-4000-8000-000000000000".into()));
    http::serve(vec![Listener::tcp(listener)], node.clone(), config, std::future::pending()).await?;
    Ok(node.close()?)
}

fn builtin() -> Result<Configset, Box<dyn std::error::Error>> {
    let files = solr::config::configset::builtin("_default").ok_or("the configset is missing")?;
    let read = |name: &str| files.file(name).map(str::to_owned);
    let schema = solr::schema::parse(&read("managed-schema.xml").unwrap_or_default(), &read)?;
    let config = solr::config::load(&read)?.config;
    let files = files.files().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    Ok(Configset { schema, config, files })
}
