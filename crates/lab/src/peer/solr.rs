//! A real Solr as the peer: standalone, or two nodes with the ZooKeeper that Solr brings along. Quiet log,
//! caches off unless asked for, the JVM options of Solr's own start script. In: options; out: its address,
//! once it answers. Building it is `project.rs`, starting and ending processes `daemon.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use client::{SolrClient, SolrUrl};

use super::cache;
use super::daemon::Daemon;
use super::project::{Built, Project, write};
use crate::error::Error;
use crate::load::Processes;
use crate::run::Watch;

const PROJECT: Project = Project {
    name: "solr",
    files: &[
        ("pom.xml", include_str!("../../assets/solr/pom.xml")),
        ("LabSolr.java", include_str!("../../assets/solr/LabSolr.java")),
        ("log4j2.xml", include_str!("../../assets/solr/log4j2.xml")),
        ("solr.xml", include_str!("../../assets/solr/solr.xml")),
        ("zoo.cfg", include_str!("../../assets/solr/zoo.cfg")),
        ("solrconfig.xml", include_str!("../../assets/solr/solrconfig.xml")),
        ("managed-schema.xml", include_str!("../../assets/solr/managed-schema.xml")),
    ],
};

/// Options of Solr's start script that are no property of this machine: G1 with short pauses, memory touched
/// at start.
const JVM: [&str; 11] = [
    "-server",
    "-Xss256k",
    "-XX:+UseG1GC",
    "-XX:+PerfDisableSharedMem",
    "-XX:+ParallelRefProcEnabled",
    "-XX:MaxGCPauseMillis=250",
    "-XX:+UseLargePages",
    "-XX:+AlwaysPreTouch",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-XX:-OmitStackTraceInFastThrow",
    "-Duser.timezone=UTC",
];

/// Marks the home of a node that is not alone.
const CLOUD: &str = "cloud";
const START_MAX: Duration = Duration::from_secs(180);
/// Configsets of workloads beside `_default`, by the names that their collections bear too: (name, files).
const CONFIGSETS: [(&str, [(&str, &str); 2]); 1] = [(
    "lab_suggest",
    [
        ("solrconfig.xml", include_str!("../../assets/configsets/lab_suggest/solrconfig.xml")),
        ("managed-schema.xml", include_str!("../../assets/configsets/lab_suggest/managed-schema.xml")),
    ],
)];

/// The collections of the workloads, made at once in a cloud because their number of shards is the cloud's.
const COLLECTIONS: [&str; 3] = ["lab_fruit", "lab_zipf", "lab_rows"];

#[derive(Clone, Debug)]
pub struct SolrOptions {
    pub port: u16,
    /// As in `-Xmx`: `512m`, `2g`.
    pub heap: String,
    /// Filter, result and document caches as Solr comes, instead of none.
    pub caches: bool,
    /// Two nodes, on this port and the next, ZooKeeper on this port and a thousand, collections of two
    /// shards.
    pub cloud: bool,
}

/// Starts Solr, or finds it running, and waits until it answers; its URL. Heap and caches count for what is
/// started only.
pub async fn up(options: &SolrOptions, watch: &dyn Watch) -> Result<SolrUrl, Error> {
    let cache = cache()?;
    let built = PROJECT.build(&cache, watch)?;
    let nodes: &[u16] = if options.cloud { &[0, 1] } else { &[0] };
    for node in nodes {
        let port = options.port + node;
        let daemon = daemon(&cache, port);
        if daemon.pid().is_none() {
            prepare(&built, &daemon.home)?;
            watch.note(&format!("starting Solr on port {port}"));
            start(&built, &daemon, port, options)?;
        }
        answering(&daemon, &client(port)?, options.cloud).await?;
    }
    let client = client(options.port)?;
    if options.cloud {
        make_collections(&client).await?;
    }
    Ok(client.url().clone())
}

/// Stops the node on `port` and, of a cloud, the one after it; with `wipe` their data goes too. How many ran.
pub fn down(port: u16, wipe: bool) -> Result<usize, Error> {
    let cache = cache()?;
    let mut stopped = 0;
    for daemon in [daemon(&cache, port + 1), daemon(&cache, port)] {
        stopped += usize::from(daemon.pid().is_some());
        daemon.stop()?;
        if wipe && daemon.home.exists() {
            let wrong = |source| Error::File { path: daemon.home.display().to_string(), source };
            fs::remove_dir_all(&daemon.home).map_err(wrong)?;
        }
    }
    Ok(stopped)
}

/// All processes of the peer that was started here and answers at `authority`; none when it is not ours.
pub fn processes_of(authority: &str) -> Option<Processes> {
    let port: u16 = authority.rsplit_once(':')?.1.parse().ok()?;
    let cache = cache().ok()?;
    daemon(&cache, port).pid()?;
    let cloud = daemon(&cache, port).home.join(CLOUD).exists();
    let ports = if cloud { port..=port + 1 } else { port..=port };
    Some(Processes::new(ports.filter_map(|port| daemon(&cache, port).pid()).collect()))
}

fn daemon(cache: &Path, port: u16) -> Daemon {
    Daemon::new(cache.join("run").join(format!("solr-{port}")))
}

fn client(port: u16) -> Result<SolrClient, Error> {
    let url: SolrUrl = format!("http://127.0.0.1:{port}/solr").parse()?;
    Ok(SolrClient::new(url, Duration::from_secs(120)))
}

/// Solr's home: `solr.xml`, and our configset under the name that collections get when they name none.
fn prepare(built: &Built, home: &Path) -> Result<(), Error> {
    let conf = conf(home, "_default");
    // Where Solr's distribution would have it, and so where Solr looks for it.
    let zookeeper = home.join("server").join("solr");
    for folder in [&conf, &zookeeper] {
        fs::create_dir_all(folder)
            .map_err(|source| Error::File { path: folder.display().to_string(), source })?;
    }
    for (file, folder) in [
        ("solr.xml", home),
        ("zoo.cfg", &zookeeper),
        ("solrconfig.xml", &conf),
        ("managed-schema.xml", &conf),
    ] {
        let from = built.folder.join(file);
        let content = fs::read_to_string(&from)
            .map_err(|source| Error::File { path: from.display().to_string(), source })?;
        write(&folder.join(file), &content)?;
    }
    for (name, files) in CONFIGSETS {
        let folder = self::conf(home, name);
        fs::create_dir_all(&folder)
            .map_err(|source| Error::File { path: folder.display().to_string(), source })?;
        files.iter().try_for_each(|(file, content)| write(&folder.join(file), content))?;
    }
    Ok(())
}

fn conf(home: &Path, configset: &str) -> PathBuf {
    home.join("configsets").join(configset).join("conf")
}

fn start(built: &Built, daemon: &Daemon, port: u16, options: &SolrOptions) -> Result<(), Error> {
    let home = daemon.home.display();
    let mut java = built.java();
    java.args(JVM).arg(format!("-Xms{}", options.heap)).arg(format!("-Xmx{}", options.heap));
    // Lucene 9.12 uses the vector API of Java 20 and newer, beyond 23 only when told.
    if built.release >= 20 {
        java.args(["--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"]);
        java.arg(format!("-Dorg.apache.lucene.vectorization.upperJavaFeatureVersion={}", built.release));
    }
    java.arg(format!("-Djetty.port={port}"))
        .arg(format!("-Dsolr.solr.home={home}"))
        .arg(format!("-Dsolr.install.dir={home}"))
        .arg(format!("-Dsolr.log.dir={home}"))
        .arg(format!("-Dsolr.default.confdir={}", conf(&daemon.home, "_default").display()))
        .arg(format!("-Dlog4j.configurationFile={}", built.folder.join("log4j2.xml").display()))
        .arg(format!("-Dlab.caches={}", options.caches));
    if options.cloud {
        write(&daemon.home.join(CLOUD), "")?;
        // The first node runs ZooKeeper within itself, a thousand ports on; named a host as well, it would
        // look for others.
        let first = port == options.port;
        java.arg(if first {
            "-DzkRun".to_owned()
        } else {
            format!("-DzkHost=127.0.0.1:{}", options.port + 1000)
        });
    }
    java.arg("LabSolr");
    daemon.start(java)
}

async fn answering(daemon: &Daemon, client: &SolrClient, cloud: bool) -> Result<(), Error> {
    let started = Instant::now();
    loop {
        if serves(client, cloud).await {
            return Ok(());
        }
        if daemon.pid().is_none() || started.elapsed() > START_MAX {
            let log = daemon.home.join("out.txt");
            let words = daemon.last_words();
            return Err(Error::Peer(format!(
                "Solr at {} did not start ({words}); see `{}`",
                client.url(),
                log.display()
            )));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Whether the node answers and none of the workloads' cores is still loading, which the node does not wait
/// for.
async fn serves(client: &SolrClient, cloud: bool) -> bool {
    let status = async |path: &str, params: &[(&str, &str)]| {
        client.get(path, params).await.map_or(503, |answer| answer.status)
    };
    let path = if cloud { "admin/collections" } else { "admin/info/system" };
    if status(path, &[("action", "LIST"), ("wt", "json")]).await != 200 {
        return false;
    }
    for core in COLLECTIONS.into_iter().chain(CONFIGSETS.map(|(name, _)| name)) {
        if !cloud && status(&format!("{core}/select"), &[("q", "*:*"), ("rows", "0")]).await == 503 {
            return false;
        }
    }
    true
}

async fn make_collections(client: &SolrClient) -> Result<(), Error> {
    let listed =
        client.get("admin/collections", &[("action", "LIST"), ("wt", "json")]).await?.ok()?.json()?;
    let present = listed["collections"].as_array().cloned().unwrap_or_default();
    for name in COLLECTIONS.into_iter().filter(|name| !present.iter().any(|found| found == name)) {
        let params = [
            ("action", "CREATE"),
            ("name", name),
            ("numShards", "2"),
            ("collection.configName", "_default"),
            ("wt", "json"),
        ];
        client.get("admin/collections", &params).await?.ok()?;
    }
    Ok(())
}
