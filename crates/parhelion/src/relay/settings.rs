//! The settings of a relay: each a flag, a variable of the environment and a key of a TOML file at once. What
//! counts is the flag, else the environment, else the file, else the default; `/relay/config` shows what came
//! from where.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use client::{
    ClientOptions, Coding, CompressionOptions, Endpoint, Hedge, Login, PoolOptions, Preference, Protocol,
    RequestCoding, RetryOptions, SolrUrl, Tls,
};
use relay::{CacheConfig, RelayLimits, UpstreamConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::listen::ListenAddress;
use crate::login::LoginArgs;

/// Groups of the help.
const SERVERS: &str = "Servers";
const ASKING: &str = "How servers are asked";
const PACKING: &str = "Compression";
const TLS: &str = "TLS with servers";
const APPLICATIONS: &str = "Applications";

/// What is not set is `None`.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// A server's Solr URL; may be given several times. Of a cluster, some of its nodes.
    #[arg(long, help_heading = SERVERS, value_name = "URL", env = "PARHELION_RELAY_UPSTREAM", value_delimiter = ',')]
    upstream: Option<Vec<String>>,
    /// Where applications connect: HOST:PORT on loopback, or unix:PATH. May be given several times. Default:
    /// 127.0.0.1:8982.
    #[arg(long, help_heading = APPLICATIONS, value_name = "WHERE", env = "PARHELION_RELAY_LISTEN", value_delimiter = ',')]
    listen: Option<Vec<String>>,
    /// Ask the servers for their cluster's state: searches go to replicas, updates to their documents'
    /// leaders.
    #[arg(long, help_heading = SERVERS, value_name = "BOOL", env = "PARHELION_RELAY_CLOUD", num_args = 0..=1, default_missing_value = "true")]
    cloud: Option<bool>,
    /// Ask this ZooKeeper for the cluster's state and its live nodes, instead of --upstream with --cloud:
    /// HOST:PORT of each of its servers, and the chroot, as in zk1:2181,zk2:2181/solr.
    #[arg(long, help_heading = SERVERS, value_name = "SERVERS", env = "PARHELION_RELAY_ZOOKEEPER")]
    zookeeper: Option<String>,
    /// Which field has the documents' ids. Default: id.
    #[arg(long, help_heading = SERVERS, value_name = "FIELD", env = "PARHELION_RELAY_ID_FIELD")]
    id_field: Option<String>,
    /// Servers to prefer: zone:NAME, location:PREFIX, type:PULL, leader:true; the first counts most.
    #[arg(long, help_heading = SERVERS, value_name = "RULE", env = "PARHELION_RELAY_PREFER", value_delimiter = ',')]
    prefer: Option<Vec<String>>,
    /// In which zone a server, or a cluster's node, is, as HOST:PORT=ZONE. May be given several times.
    #[arg(long, help_heading = SERVERS, value_name = "ZONE", env = "PARHELION_RELAY_ZONES", value_delimiter = ',')]
    zones: Option<Vec<String>>,
    /// What is spoken with servers: auto (HTTP/1.1, over TLS what the server prefers), http1, http2. Default:
    /// auto.
    #[arg(long, help_heading = ASKING, value_name = "HTTP", env = "PARHELION_RELAY_PROTOCOL")]
    protocol: Option<String>,
    /// Give up on a request after this many seconds, and on an answer that pauses as long. Default: 60.
    #[arg(long, help_heading = ASKING, value_name = "SECONDS", env = "PARHELION_RELAY_TIMEOUT", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Reads show what was written through the relay before: asked (by who sends a token along), always.
    /// Costs a soft commit for each read behind a write. Default: asked.
    #[arg(long, help_heading = ASKING, value_name = "WHEN", env = "PARHELION_RELAY_READ_YOUR_WRITES")]
    read_your_writes: Option<String>,
    /// Keep answers of searches in this much memory, and give them again. An update through the relay ends
    /// those of its collection; what others write is seen when --cache-age is over. Default: 0, none.
    #[arg(long, help_heading = ASKING, value_name = "MIB", env = "PARHELION_RELAY_CACHE")]
    cache: Option<u32>,
    /// How long an answer is kept. Default: 5.
    #[arg(long, help_heading = ASKING, value_name = "SECONDS", env = "PARHELION_RELAY_CACHE_AGE", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    cache_age: Option<u64>,
    /// Ask a second server when the first is slow: off, after a time (50ms), or beyond a share of recent
    /// requests (p95). Searches only. Default: off.
    #[arg(long, help_heading = ASKING, value_name = "WHEN", env = "PARHELION_RELAY_HEDGE")]
    hedge: Option<String>,
    /// Send a request this many times at most, where that is safe. Default: 3.
    #[arg(long, help_heading = ASKING, value_name = "COUNT", env = "PARHELION_RELAY_ATTEMPTS", value_parser = clap::value_parser!(u32).range(1..=10))]
    attempts: Option<u32>,
    /// Requests at one server at once; more wait. Default: 256.
    #[arg(long, help_heading = ASKING, value_name = "COUNT", env = "PARHELION_RELAY_AT_ONCE", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    at_once: Option<u32>,
    /// Close idle connections to servers after this: below the servers' own limit. Default: 15.
    #[arg(long, help_heading = ASKING, value_name = "SECONDS", env = "PARHELION_RELAY_POOL_IDLE", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pool_idle: Option<u64>,
    /// Pack bodies of requests for servers on other machines: auto (as they say they take it; this project's
    /// do), off, gzip, br, zstd. Default: auto.
    #[arg(long, help_heading = PACKING, value_name = "HOW", env = "PARHELION_RELAY_COMPRESS_REQUESTS")]
    compress_requests: Option<String>,
    /// Take packed answers of servers on other machines. Default: true.
    #[arg(long, help_heading = PACKING, value_name = "BOOL", env = "PARHELION_RELAY_COMPRESS_ANSWERS")]
    compress_answers: Option<bool>,
    /// Trust these authorities (PEM) instead of the system's.
    #[arg(long, help_heading = TLS, value_name = "FILE", env = "PARHELION_RELAY_CA")]
    ca: Option<PathBuf>,
    /// Show this certificate (PEM) to servers that ask for one.
    #[arg(long, help_heading = TLS, value_name = "FILE", env = "PARHELION_RELAY_CERT", requires = "key")]
    cert: Option<PathBuf>,
    /// Its private key (PEM).
    #[arg(long, help_heading = TLS, value_name = "FILE", env = "PARHELION_RELAY_KEY", requires = "cert")]
    key: Option<PathBuf>,
    /// As --user-file.
    #[arg(skip)]
    user_file: Option<PathBuf>,
    /// Refuse longer bodies with 413. Default: 512.
    #[arg(long, help_heading = APPLICATIONS, value_name = "MIB", env = "PARHELION_RELAY_BODY_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    body_max: Option<u32>,
    /// Refuse bodies with 429 while those of all requests together take more. Default: 1024.
    #[arg(long, help_heading = APPLICATIONS, value_name = "MIB", env = "PARHELION_RELAY_BODIES_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    bodies_max: Option<u32>,
    /// Let more connections of applications wait. Default: 20000, or what the system's limit of open files
    /// leaves.
    #[arg(long, help_heading = APPLICATIONS, value_name = "COUNT", env = "PARHELION_RELAY_CONNECTIONS_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    connections_max: Option<u32>,
    /// Close connections of applications that ask nothing for this long. Default: 600.
    #[arg(long, help_heading = APPLICATIONS, value_name = "SECONDS", env = "PARHELION_RELAY_IDLE_TIMEOUT", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    idle_timeout: Option<u64>,
    /// Give up on an application that sends nothing more of a body, or takes nothing more of an answer, for
    /// so long. Default: 60.
    #[arg(long, help_heading = APPLICATIONS, value_name = "SECONDS", env = "PARHELION_RELAY_STALL_TIMEOUT", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    stall_timeout: Option<u64>,
    /// When the relay stops, requests under way have this long. Default: 30.
    #[arg(long, help_heading = APPLICATIONS, value_name = "SECONDS", env = "PARHELION_RELAY_DRAIN_TIMEOUT", value_parser = clap::value_parser!(u64).range(..=86_400))]
    drain_timeout: Option<u64>,
}

/// What comes of all layers.
pub struct Effective {
    pub places: Vec<ListenAddress>,
    pub limits: RelayLimits,
    pub upstream: UpstreamConfig,
    /// What cannot change while it runs, as it was written.
    start: String,
}

/// What cannot change while a relay runs.
const START_ONLY: [&str; 7] =
    ["listen", "body-max", "bodies-max", "connections-max", "idle-timeout", "stall-timeout", "drain-timeout"];

impl Effective {
    pub fn read(flags: &Settings, login: &LoginArgs, file: Option<&Path>) -> anyhow::Result<Self> {
        let text = match file {
            Some(path) => {
                std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?
            }
            None => String::new(),
        };
        let in_file: Settings = toml::from_str(&text)
            .with_context(|| format!("cannot use `{}`", file.unwrap_or(Path::new("")).display()))?;
        let (merged, shown) = merge(&[("flag or environment", flags), ("file", &in_file)])?;
        let start: Map<String, Value> =
            shown.iter().filter(|(name, _)| START_ONLY.contains(&name.as_str())).map(owned).collect();
        let login = match (login.login()?, &merged.user_file) {
            (None, Some(path)) => Some(login_of(path)?),
            (said, _) => said,
        };
        Ok(Self {
            places: merged.places()?,
            limits: merged.limits(),
            upstream: UpstreamConfig { shown: Value::Object(shown), login, ..merged.upstream()? },
            start: Value::Object(start).to_string(),
        })
    }

    /// Whether the change from the other needs no new start.
    pub fn starts_like(&self, other: &Self) -> bool {
        self.start == other.start
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// The first layer that says something counts. With the value and where it comes from, for people.
fn merge(layers: &[(&str, &Settings)]) -> anyhow::Result<(Settings, Map<String, Value>)> {
    let (mut merged, mut shown) = (Map::new(), Map::new());
    for (origin, layer) in layers {
        let Value::Object(said) = serde_json::to_value(layer)? else { continue };
        for (name, value) in said.into_iter().filter(|(_, value)| !value.is_null()) {
            if !merged.contains_key(&name) {
                shown.insert(name.clone(), json!({ "value": value, "from": origin }));
                merged.insert(name, value);
            }
        }
    }
    Ok((serde_json::from_value(Value::Object(merged))?, shown))
}

fn login_of(path: &Path) -> anyhow::Result<Login> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(Login::user(text.lines().next().unwrap_or_default())?)
}

impl Settings {
    fn places(&self) -> anyhow::Result<Vec<ListenAddress>> {
        let Some(places) = &self.listen else {
            return Ok(vec![ListenAddress::Address("127.0.0.1".to_owned(), 8982)]);
        };
        places.iter().map(|place| place.parse().map_err(|why| anyhow::anyhow!("`{place}`: {why}"))).collect()
    }

    fn limits(&self) -> RelayLimits {
        let defaults = RelayLimits::default();
        let mebibytes = |count: u32| (count as usize).saturating_mul(1 << 20);
        RelayLimits {
            body_bytes_max: self.body_max.map_or(defaults.body_bytes_max, mebibytes),
            bodies_bytes_max: self.bodies_max.map_or(defaults.bodies_bytes_max, mebibytes),
            connections_max: self.connections_max.map_or(defaults.connections_max, |count| count as usize),
            idle_max: self.idle_timeout.map_or(defaults.idle_max, Duration::from_secs),
            stall_max: self.stall_timeout.map_or(defaults.stall_max, Duration::from_secs),
            drain_max: self.drain_timeout.map_or(defaults.drain_max, Duration::from_secs),
        }
    }

    /// Without who asks and what is shown.
    fn upstream(&self) -> anyhow::Result<UpstreamConfig> {
        let zookeeper = self.zookeeper.as_deref().map(str::parse).transpose()?;
        let (servers, cloud) = (self.servers()?, self.cloud.unwrap_or_default());
        ensure!(
            zookeeper.is_none() || servers.is_empty(),
            "`upstream` and `zookeeper` are both set; name the servers or who knows them"
        );
        let zoned = self.zoned(&servers, cloud || zookeeper.is_some())?;
        Ok(UpstreamConfig {
            servers: zoned.iter().take(servers.len()).cloned().collect(),
            zoned,
            zookeeper,
            cloud,
            login: None,
            options: self.options()?,
            cache: self.cache.filter(|mebibytes| *mebibytes > 0).map(|mebibytes| CacheConfig {
                bytes_max: (mebibytes as usize).saturating_mul(1 << 20),
                age_max: Duration::from_secs(self.cache_age.unwrap_or(5)),
            }),
            shows_own_writes: shows_own_writes(self.read_your_writes.as_deref().unwrap_or("asked"))?,
            instance: uuid::Uuid::new_v4().as_u64_pair().0,
            id_field: self.id_field.clone().unwrap_or_else(|| "id".to_owned()),
            shown: Value::Null,
        })
    }

    fn servers(&self) -> anyhow::Result<Vec<Endpoint>> {
        let mut servers = Vec::new();
        for url in self.upstream.iter().flatten() {
            servers.push(Endpoint::from(url.trim().parse::<SolrUrl>()?));
        }
        Ok(servers)
    }

    /// The servers with their zones, and behind them the other nodes of a cluster that have one.
    fn zoned(&self, servers: &[Endpoint], has_nodes: bool) -> anyhow::Result<Vec<Endpoint>> {
        let mut zoned = servers.to_vec();
        for rule in self.zones.iter().flatten() {
            let Some((authority, zone)) = rule.split_once('=').filter(|(_, zone)| !zone.is_empty()) else {
                bail!("`{rule}` names no zone; write it as HOST:PORT=ZONE");
            };
            match zoned.iter_mut().find(|server| server.url.authority() == authority) {
                Some(server) => server.zone = Some(zone.to_owned()),
                None if has_nodes => zoned.push(Endpoint::from(authority.parse::<SolrUrl>()?).in_zone(zone)),
                None => bail!("`{rule}` is about none of the servers that --upstream names"),
            }
        }
        Ok(zoned)
    }

    fn options(&self) -> anyhow::Result<ClientOptions> {
        let defaults = ClientOptions::default();
        let (pool, retry) = (defaults.pool, defaults.retry);
        let mut preferences = Vec::new();
        for rule in self.prefer.iter().flatten() {
            preferences.push(rule.trim().parse::<Preference>()?);
        }
        Ok(ClientOptions {
            timeout: self.timeout.map_or(defaults.timeout, Duration::from_secs),
            protocol: protocol(self.protocol.as_deref().unwrap_or("auto"))?,
            tls: self.tls()?,
            pool: PoolOptions {
                idle_max: self.pool_idle.map_or(pool.idle_max, Duration::from_secs),
                under_way_max: self.at_once.map_or(pool.under_way_max, |count| count as usize),
                ..pool
            },
            retry: RetryOptions { attempts_max: self.attempts.unwrap_or(retry.attempts_max), ..retry },
            hedge: hedge(self.hedge.as_deref().unwrap_or("off"))?,
            compression: CompressionOptions {
                responses: self.compress_answers.unwrap_or(defaults.compression.responses),
                requests: request_coding(self.compress_requests.as_deref().unwrap_or("auto"))?,
                ..defaults.compression
            },
            preferences,
            ..defaults
        })
    }

    fn tls(&self) -> anyhow::Result<Tls> {
        let read =
            |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()));
        let mut tls = Tls::default();
        if let Some(path) = &self.ca {
            tls = tls.with_authorities(&read(path)?)?;
        }
        match (&self.cert, &self.key) {
            (Some(certificate), Some(key)) => Ok(tls.with_certificate(&read(certificate)?, &read(key)?)?),
            (None, None) => Ok(tls),
            _ => bail!("`cert` and `key` are set together or not at all"),
        }
    }
}

fn protocol(name: &str) -> anyhow::Result<Protocol> {
    Ok(match name {
        "auto" => Protocol::Auto,
        "http1" => Protocol::Http1,
        "http2" => Protocol::Http2,
        _ => bail!("`{name}` is no protocol; use auto, http1 or http2"),
    })
}

fn shows_own_writes(when: &str) -> anyhow::Result<bool> {
    match when {
        "asked" => Ok(false),
        "always" => Ok(true),
        _ => bail!("`{when}` does not say when reads show one's own writes; use asked or always"),
    }
}

fn request_coding(name: &str) -> anyhow::Result<RequestCoding> {
    Ok(match (name, Coding::named(name)) {
        ("auto", _) => RequestCoding::Negotiated,
        ("off", _) => RequestCoding::Never,
        (_, Some(coding)) => RequestCoding::Always(coding),
        _ => bail!("`{name}` is no way to pack requests; use auto, off, gzip, br or zstd"),
    })
}

/// `off`, `50ms`, `p95`, `p99.9`.
fn hedge(text: &str) -> anyhow::Result<Option<Hedge>> {
    let quantile = text.strip_prefix('p').and_then(|share| share.parse::<f64>().ok());
    let milliseconds = text.strip_suffix("ms").and_then(|number| number.parse().ok());
    Ok(match (text, quantile, milliseconds) {
        ("off", ..) => None,
        (_, Some(share), _) if (1.0..100.0).contains(&share) => Some(Hedge::Quantile(share / 100.0)),
        (_, _, Some(number)) => Some(Hedge::After(Duration::from_millis(number))),
        _ => {
            bail!("`{text}` does not say when to hedge; use off, a time such as 50ms, or a share such as p95")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effective(flags: &Settings, file: &str) -> anyhow::Result<Effective> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relay.toml");
        std::fs::write(&path, file).unwrap();
        Effective::read(flags, &LoginArgs::default(), Some(&path))
    }

    #[test]
    fn flags_come_before_the_file_and_it_before_defaults() {
        let flags = Settings { timeout: Some(5), ..Settings::default() };
        let file = "timeout = 7\nupstream = [\"a:1\", \"b:2\"]\nzones = [\"b:2=west\"]\nprefer = [\"zone:west\", \"type:PULL\"]
            cloud = true\nhedge = \"p95\"\nprotocol = \"http2\"\ncompress-requests = \"zstd\"\nbody-max = 3";
        let found = effective(&flags, file).unwrap();
        let UpstreamConfig { servers, cloud, options, id_field, shown, .. } = &found.upstream;
        assert_eq!((servers.len(), servers[1].zone.as_deref(), *cloud), (2, Some("west"), true));
        assert_eq!((options.timeout, options.hedge), (Duration::from_secs(5), Some(Hedge::Quantile(0.95))));
        assert_eq!(
            (options.protocol, options.compression.requests),
            (Protocol::Http2, RequestCoding::Always(Coding::Zstd))
        );
        assert_eq!((options.preferences.len(), id_field.as_str()), (2, "id"));
        let nodes = "zookeeper = \"z1,z2/solr\"\nzones = [\"n:8983=east\"]";
        let cluster = effective(&Settings::default(), nodes).unwrap().upstream;
        let (zookeeper, zone) = (cluster.zookeeper.unwrap().to_string(), cluster.zoned[0].zone.clone());
        assert_eq!((zookeeper.as_str(), zone.as_deref()), ("z1:2181,z2:2181/solr", Some("east")));
        assert_eq!((found.limits.body_bytes_max, found.limits.connections_max), (3 << 20, 20_000));
        assert_eq!(found.places, [ListenAddress::Address("127.0.0.1".to_owned(), 8982)]);
        assert_eq!(shown["timeout"], json!({"value": 5, "from": "flag or environment"}));
        assert_eq!(shown["cloud"], json!({"value": true, "from": "file"}));
        assert!(found.starts_like(&effective(&flags, &file.replace("p95", "off")).unwrap()));
        assert!(!found.starts_like(&effective(&flags, &file.replace("= 3", "= 4")).unwrap()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |file: &str, part: &str| {
            let error = format!("{:#}", effective(&Settings::default(), file).err().unwrap());
            assert!(error.contains(part), "{file}: {error}");
        };
        check("upstreem = [\"a\"]", "unknown field `upstreem`, expected one of `upstream`");
        check("timeout = \"soon\"", "timeout");
        check("hedge = \"soon\"", "`soon` does not say when to hedge");
        check("hedge = \"p100\"", "`p100`");
        check("read-your-writes = \"never\"", "`never` does not say when");
        check("protocol = \"http3\"", "`http3` is no protocol");
        check("compress-requests = \"lzma\"", "`lzma` is no way to pack");
        check("prefer = [\"moon\"]", "`moon` is no preference");
        check("upstream = [\"a:1\"]\nzones = [\"b:1=west\"]", "none of the servers");
        check("upstream = [\"a:1\"]\nzookeeper = \"b:2181\"", "both set");
        check("zookeeper = \"b:x\"", "`b:x` names no ZooKeeper");
        check("upstream = [\"a:1\"]\nzones = [\"a:1\"]", "names no zone");
        check("listen = [\"8982\"]", "`8982`: there is no port");
        check("cert = \"c.pem\"", "set together");
        check("user-file = \"/nowhere/at/all\"", "cannot read `/nowhere/at/all`");
        check("= 1", "cannot use");
    }
}
