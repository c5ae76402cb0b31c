//! Members of one cluster in this process, which share documents and homes and reach one another over loopback,
//! each with a client that shows what it answered. They live as long as a test says so.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use crate::served::{self, Answer, Still};
use cluster::{CacheSizes, Member, MetadataHomes, Node, NodeConfig, ThreadScheduler};
use http::{Configsets, Forward, Forwarded, ForwardedAnswer, Listener, ServeConfig};
use plan::{Error, ErrorKind, Result};
use store::memory::MemorySite;
use store::metadata::memory::MetadataMemory;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Sends as a test's client does; no server at the address is no answer.
#[derive(Clone, Default)]
pub struct Plain(Arc<Mutex<Ways>>);

/// What was sent from any member to another, and who says nothing.
#[derive(Default)]
struct Ways {
    /// Address and path.
    sent: Vec<(String, String)>,
    silent: Vec<String>,
}

impl Forward for Plain {
    fn forward(
        &self,
        request: Forwarded,
    ) -> Pin<Box<dyn Future<Output = Result<ForwardedAnswer>> + Send + '_>> {
        Box::pin(async move {
            let Forwarded { url, method, target, headers, body, is_safe: _ } = request;
            let body = body.unwrap_or_default();
            let is_silent = {
                let mut ways = self.0.lock().unwrap();
                ways.sent.push((url.clone(), target.clone()));
                ways.silent.contains(&url)
            };
            if is_silent {
                std::future::pending::<()>().await;
            }
            let mut head = format!(
                "{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head += &format!("{name}: {}\r\n", String::from_utf8(value).unwrap());
            }
            let lost = |error: std::io::Error| Error::new(ErrorKind::Unavailable, error.to_string());
            let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).await.map_err(lost)?;
            stream.write_all(&[head.as_bytes(), b"\r\n", &body].concat()).await.map_err(lost)?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.map_err(lost)?;
            let at = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
            let head = served::parse(std::str::from_utf8(&bytes[..at + 4]).unwrap());
            Ok(ForwardedAnswer {
                status: head.status,
                content_type: head.header("content-type").to_owned(),
                retry_after_s: head.header("retry-after").parse().unwrap_or_default(),
                body: bytes[at + 4..].to_vec().into(),
            })
        })
    }
}

/// What members share.
pub struct Cluster {
    pub documents: MetadataMemory,
    pub site: MemorySite,
    ways: Plain,
    pub clock: Arc<Still>,
    backups: tempfile::TempDir,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            documents: MetadataMemory::default(),
            site: MemorySite::default(),
            ways: Plain::default(),
            clock: Arc::new(Still(AtomicI64::new(1_795_255_200_000))),
            backups: tempfile::tempdir().unwrap(),
        }
    }
}

pub struct Served {
    pub node: Arc<Node>,
    pub address: std::net::SocketAddr,
    pub server: tokio::task::AbortHandle,
    _folder: tempfile::TempDir,
}

impl Cluster {
    pub async fn member(&self, name: &str) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let local = Arc::new(store::MetadataFiles::open(folder.path(), &[]).unwrap());
        let homes = MetadataHomes { shared: Arc::new(self.documents.clone()), local };
        let config = NodeConfig {
            data_dir: folder.path().to_owned(),
            clock: self.clock.clone(),
            shards: cluster::engine_shards(CacheSizes::default(), Arc::new(ThreadScheduler)),
            name: format!("{name}:8983_solr"),
        };
        let site = Arc::new(self.site.clone());
        let node =
            Node::open_member(config, homes, site, (format!("http://{address}"), name, "secret")).unwrap();
        let mut configsets = Configsets::default();
        configsets.insert("_default", served::builtin());
        let mut serve = ServeConfig::new(configsets, uuids());
        serve.forward = Some(Arc::new(self.ways.clone()));
        serve.backup_dir = Some(self.backups.path().to_owned().into());
        let listeners = vec![Listener::tcp(listener)];
        let server = tokio::spawn(http::serve(listeners, node.clone(), serve, std::future::pending()));
        Served { node, address, server: server.abort_handle(), _folder: folder }
    }

    /// Nobody gets an answer of these.
    pub fn silence(&self, members: &[&Served]) {
        self.ways.0.lock().unwrap().silent = members.iter().map(|it| it.node.member().url).collect();
    }

    /// Who was sent questions of shards or requests since the last time, by their ids; looks of followers
    /// among them.
    pub fn asked(&self, members: &[Served], path: &str) -> Vec<String> {
        let sent = std::mem::take(&mut self.ways.0.lock().unwrap().sent);
        let to = |url: &str| members.iter().find(|it| it.node.member().url == url).unwrap().node.member().id;
        let mut asked: Vec<String> =
            sent.iter().filter(|(_, target)| target.starts_with(path)).map(|(url, _)| to(url)).collect();
        asked.dedup();
        asked
    }

    /// Each knows that both live.
    pub async fn two(&self) -> [Served; 2] {
        let members = [self.member("a").await, self.member("b").await];
        lives(&members, &[&members[0], &members[1]]);
        members
    }
}

/// Another one each time.
fn uuids() -> Arc<dyn Fn() -> String + Send + Sync> {
    let made = AtomicI64::new(0);
    Arc::new(move || format!("00000000-0000-4000-8000-{:012}", made.fetch_add(1, Ordering::Relaxed)))
}

pub fn lives(who: &[Served], living: &[&Served]) {
    let living: Vec<Member> = living.iter().map(|served| served.node.member()).collect();
    who.iter().for_each(|served| served.node.set_living(living.clone()));
}

impl Served {
    pub async fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream
            .write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .await
            .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        served::parse(&String::from_utf8(bytes).unwrap())
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"), "").await
    }

    pub async fn update(&self, collection: &str, body: &str) -> Answer {
        let head = format!(
            "POST /solr/{collection}/update?commit=true HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        );
        self.send(&head, body).await
    }

    /// Makes a collection on the member of this name.
    pub async fn create(&self, name: &str, on: &str) {
        let answer = self
            .get(&format!("/solr/admin/collections?action=CREATE&name={name}&createNodeSet={on}:8983_solr"))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

pub fn found(answer: &Answer) -> u64 {
    let body: serde_json::Value =
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}: {}", answer.status, answer.body));
    body["response"]["numFound"].as_u64().unwrap_or_else(|| panic!("{}", answer.body))
}

pub fn json(answer: &Answer) -> serde_json::Value {
    let mut body: serde_json::Value =
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}: {}", answer.status, answer.body));
    body.as_object_mut().unwrap().remove("responseHeader");
    body
}
