//! A whole server in this process, over shards in memory, and a client that shows the bytes as they came.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cluster::memory::MemoryShards;
use cluster::{CreateCollection, Node, NodeConfig, OpenShard};
use http::{Configset, Configsets, Listener, ServeConfig};
use meter::Clock;
use plan::{
    AutoCommit, BuildOn, CollectionConfig, Component, ConfigSource, FieldSource, HandlerConfig, Lookup,
    SchemaSource, SortedLookup, SuggestComponent, SuggestSource, Suggester, TypeSource,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Stands still: times in answers are then known.
pub struct Still(pub AtomicI64);

impl Clock for Still {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

pub struct Served {
    address: std::net::SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    ended: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
    pub node: Arc<Node>,
    pub clock: Arc<Still>,
    _folder: tempfile::TempDir,
}

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }
}

impl Served {
    /// With one core `films`.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(adjust: impl FnOnce(&mut ServeConfig)) -> Self {
        Self::start_at(vec![], adjust).await
    }

    /// Over shards on disk, with the built-in configset.
    pub async fn start_whole(adjust: impl FnOnce(&mut ServeConfig)) -> Self {
        let shards = cluster::engine_shards(
            cluster::CacheSizes::default(),
            std::sync::Arc::new(cluster::ThreadScheduler),
        );
        Self::start_on(shards, builtin(), vec![], adjust).await
    }

    /// Over shards on disk, with one of the repository's configsets.
    pub async fn start_with_configset(name: &str, adjust: impl FnOnce(&mut ServeConfig)) -> Self {
        let shards = cluster::engine_shards(
            cluster::CacheSizes::default(),
            std::sync::Arc::new(cluster::ThreadScheduler),
        );
        Self::start_on(shards, configset(name), vec![], adjust).await
    }

    /// Listening in these places too.
    pub async fn start_at(listeners: Vec<Listener>, adjust: impl FnOnce(&mut ServeConfig)) -> Self {
        Self::start_on(Arc::new(MemoryShards::default()), small(), listeners, adjust).await
    }

    /// Over shards in memory that call this when a search or an update has come to them.
    pub async fn start_interrupted(on_arrival: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self::start_interrupted_with(on_arrival, |_| {}).await
    }

    pub async fn start_interrupted_with(
        on_arrival: Arc<dyn Fn() + Send + Sync>,
        adjust: impl FnOnce(&mut ServeConfig),
    ) -> Self {
        let shards = MemoryShards { on_arrival: Some(on_arrival), ..MemoryShards::default() };
        Self::start_on(Arc::new(shards), small(), vec![], adjust).await
    }

    /// Over shards that change as soon as a search is done.
    pub async fn start_restless() -> Self {
        let shards = MemoryShards { restless: true, ..MemoryShards::default() };
        Self::start_on(Arc::new(shards), small(), vec![], |_| {}).await
    }

    /// Over shards on disk as somebody else opens them, with the built-in configset.
    pub async fn start_over(shards: Arc<dyn OpenShard>, adjust: impl FnOnce(&mut ServeConfig)) -> Self {
        Self::start_on(shards, builtin(), vec![], adjust).await
    }

    async fn start_on(
        shards: Arc<dyn OpenShard>,
        configset: Configset,
        mut listeners: Vec<Listener>,
        adjust: impl FnOnce(&mut ServeConfig),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        listeners.push(Listener::tcp(listener));
        let clock = Arc::new(Still(AtomicI64::new(1_795_255_200_000)));
        let node = Node::open(NodeConfig {
            data_dir: folder.path().to_owned(),
            clock: clock.clone(),
            shards,
            name: "node:8983_solr".into(),
        })
        .unwrap();
        let films =
            CreateCollection::new("films", "_default", configset.schema.clone(), configset.config.clone());
        let mut configsets = Configsets::default();
        configsets.insert("_default", configset);
        let mut serve =
            ServeConfig::new(configsets, Arc::new(|| "00000000-0000-4000-8000-000000000000".into()));
        adjust(&mut serve);
        let (stop, stopped) = oneshot::channel();
        let shutdown = async { stopped.await.unwrap_or(()) };
        let ended = tokio::spawn(http::serve(listeners, node.clone(), serve, shutdown));
        let served = Self { address, stop: Some(stop), ended: Some(ended), node, clock, _folder: folder };
        // Not over HTTP, where a test may allow no time at all.
        served.node.create(CreateCollection { core_name: Some("films".into()), ..films }).await.unwrap();
        served
    }

    pub async fn stop(&mut self) {
        drop(self.stop.take());
        self.ended.take().unwrap().await.unwrap().unwrap();
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), b"").await
    }

    pub async fn post(&self, path: &str, media_type: &str, body: &str) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send(&head, body.as_bytes()).await
    }

    /// In chunks of so many bytes, whose ends stand wherever they fall.
    pub async fn post_in_chunks(
        &self,
        path: &str,
        (media_type, body): (&str, &[u8]),
        chunk_bytes: usize,
    ) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {media_type}\r\n\
             Transfer-Encoding: chunked\r\n\r\n"
        );
        let mut message = Vec::new();
        for part in body.chunks(chunk_bytes) {
            message.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
            message.extend_from_slice(part);
            message.extend_from_slice(b"\r\n");
        }
        message.extend_from_slice(b"0\r\n\r\n");
        self.send(&head, &message).await
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// From another address of this machine.
    pub async fn connect_from(&self, address: std::net::IpAddr) -> TcpStream {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// One request on a connection of its own; the request must ask to close it.
    pub async fn send(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        // The server may answer and close before it has read all.
        let _ = stream.write_all(body).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        parse(&String::from_utf8(bytes).unwrap())
    }
}

/// One request without a body, which must ask to close the connection.
pub async fn answer(stream: &mut TcpStream, head: &str) -> Answer {
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    parse(&text)
}

pub fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Answer { status, headers, body: body.to_owned() }
}

fn small() -> Configset {
    Configset { schema: schema(), config: config(), files: plan::Resources::new() }
}

pub fn builtin() -> Configset {
    let files = solr::config::configset::builtin("_default").unwrap();
    let read = |name: &str| files.file(name).map(str::to_owned);
    let schema = solr::schema::parse(&read("managed-schema.xml").unwrap(), &read).unwrap();
    let config = solr::config::load(&read).unwrap().config;
    let files = files.files().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    Configset { schema, config, files }
}

fn configset(name: &str) -> Configset {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configsets").join(name);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let schema = solr::schema::parse(&read("managed-schema.xml").unwrap(), &read).unwrap();
    let config = solr::config::load(&read).unwrap().config;
    Configset { schema, config, files: plan::Resources::new() }
}

fn schema() -> SchemaSource {
    let kind = |name: &str, class: &str, attributes: &[(&str, &str)]| TypeSource {
        name: name.into(),
        class: class.into(),
        attributes: attributes.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        ..TypeSource::default()
    };
    let field = |name: &str, type_name: &str| FieldSource {
        name: name.into(),
        type_name: type_name.into(),
        attributes: vec![],
    };
    SchemaSource {
        name: "small".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: vec![
            kind("string", "solr.StrField", &[("sortMissingLast", "true")]),
            kind("strings", "solr.StrField", &[("sortMissingLast", "true"), ("multiValued", "true")]),
            kind("pint", "solr.IntPointField", &[]),
            kind("plong", "solr.LongPointField", &[]),
            kind("pfloat", "solr.FloatPointField", &[]),
        ],
        fields: vec![field("id", "string"), field("_version_", "plong")],
        dynamic_fields: vec![
            field("*_s", "string"),
            field("*_ss", "strings"),
            field("*_i", "pint"),
            field("*_f", "pfloat"),
        ],
        ..SchemaSource::default()
    }
}

/// What the configuration's own API reads.
const SOLRCONFIG: &str = r#"<config><query><maxBooleanClauses>1024</maxBooleanClauses></query>
  <requestHandler name="/select" class="solr.SearchHandler"><lst name="defaults"><str name="rows">10</str></lst></requestHandler>
</config>"#;

fn config() -> CollectionConfig {
    let select = HandlerConfig {
        path: "/select".into(),
        class: "solr.SearchHandler".into(),
        defaults: vec![("echoParams".into(), "explicit".into()), ("rows".into(), "10".into())],
        ..HandlerConfig::default()
    };
    let strict = HandlerConfig {
        path: "/strict".into(),
        class: "solr.SearchHandler".into(),
        allowed_parsers: Some(vec!["lucene".into(), "term".into()]),
        ..HandlerConfig::default()
    };
    let suggest = HandlerConfig {
        path: "/suggest".into(),
        class: "solr.SearchHandler".into(),
        defaults: vec![("suggest".into(), "true".into()), ("suggest.dictionary".into(), "ids".into())],
        components: Some(vec![Component::Suggest("suggest".into())]),
        ..HandlerConfig::default()
    };
    let vectors = HandlerConfig {
        path: "/tvrh".into(),
        class: "solr.SearchHandler".into(),
        components: Some(vec![Component::Query, Component::TermVectors("tv".into())]),
        ..HandlerConfig::default()
    };
    CollectionConfig {
        auto_commit: AutoCommit {
            flush_after_ms: None,
            flush_after_docs: None,
            flush_opens_searcher: false,
            refresh_after_ms: None,
            refresh_after_docs: None,
        },
        handlers: vec![select, strict, suggest, vectors],
        boolean_clauses_max: 1024,
        prefix_length_min: None,
        slow_query_ms: None,
        score_statistics: plan::ScoreStatistics::default(),
        updates: plan::UpdateProcessing::default(),
        components: plan::Components { suggest: vec![suggesters()], ..plan::Components::default() },
        named: plan::NamedParts::NONE,
        param_sets: vec![],
        source: Arc::new(ConfigSource { xml: SOLRCONFIG.to_owned(), ..ConfigSource::default() }),
    }
}

fn suggesters() -> SuggestComponent {
    let ids = Suggester {
        name: "ids".into(),
        source: SuggestSource::Terms { field: "id".into(), threshold: 0.0 },
        lookup: Lookup::Sorted(SortedLookup { parts: None, lowercase: false }),
        field_type: None,
        build_on: BuildOn::default(),
    };
    SuggestComponent { name: "suggest".into(), suggesters: vec![ids] }
}

/// The body of an answer that is well.
pub async fn body(served: &Served, path: &str) -> String {
    let answer = served.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

/// Asks what is answered with 400 and a message that begins so.
pub async fn refused(served: &Served, path: &str, message: &str) {
    let answer = served.get(path).await;
    assert_eq!(answer.status, 400, "{path}: {}", answer.body);
    assert!(answer.body.contains(&format!("\"msg\":\"{message}")), "{path}: {}", answer.body);
}
