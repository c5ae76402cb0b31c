//! A server of HTTP/1.1 that does what a test tells it, connection by connection and request by request, and
//! remembers what it was asked.
#![allow(dead_code)]

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::{ClientOptions, Resolve, Resolving, RetryOptions, SolrClient, SolrUrl};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of a request.
pub enum Act {
    Answer(Vec<u8>),
    /// And the end of the connection.
    AnswerThenClose(Vec<u8>),
    /// And then nothing more, ever.
    AnswerThenStall(Vec<u8>),
    /// And a reset.
    AnswerThenReset(Vec<u8>),
    /// Header lines for as long as somebody takes them.
    EndlessHead,
}

#[derive(Default)]
pub struct Seen {
    pub requests: Vec<String>,
    pub connections: usize,
    /// Connections that the client has closed.
    pub ended: usize,
    /// Of an endless head.
    pub head_bytes: usize,
}

pub struct Server {
    pub url: SolrUrl,
    seen: Arc<Mutex<Seen>>,
    changes: watch::Sender<()>,
    task: tokio::task::JoinHandle<()>,
}

type Script = dyn Fn(usize, &str) -> Act + Send + Sync;

impl Server {
    /// `script` is asked with the number of the request on this server, from 0, and its text.
    pub async fn start(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/solr", listener.local_addr().unwrap()).parse().unwrap();
        let (seen, changes): (Arc<Mutex<Seen>>, _) = (Arc::default(), watch::Sender::new(()));
        let (script, shared, told): (Arc<Script>, _, _) = (Arc::new(script), seen.clone(), changes.clone());
        let task = tokio::spawn(async move {
            let mut serving = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                let (script, shared, told) = (script.clone(), shared.clone(), told.clone());
                serving.spawn(async move {
                    let _ = serve(stream, &*script, &shared).await;
                    shared.lock().unwrap().ended += 1;
                    told.send_replace(());
                });
            }
        });
        Self { url, seen, changes, task }
    }

    /// That answers everything alike.
    pub async fn answering(answer: Vec<u8>) -> Self {
        Self::start(move |_, _| Act::Answer(answer.clone())).await
    }

    pub fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().unwrap())
    }

    pub fn requests(&self) -> usize {
        self.seen(|seen| seen.requests.len())
    }

    /// Waits until clients have closed this many connections.
    pub async fn ended(&self, count: usize) {
        let mut changes = self.changes.subscribe();
        while self.seen(|seen| seen.ended) < count {
            changes.changed().await.unwrap();
        }
    }

    pub fn client(&self) -> SolrClient {
        SolrClient::with_options(self.url.clone(), options())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A name that moves from one server to another: the first look-up finds the one, the second fails, and those
/// behind it find the other.
#[derive(Debug)]
pub struct MovingName {
    addresses: [SocketAddr; 2],
    lookups: AtomicUsize,
}

impl MovingName {
    pub fn between(old: &Server, new: &Server) -> Arc<Self> {
        let addresses = [old, new].map(|server| server.url.authority().parse().unwrap());
        Arc::new(Self { addresses, lookups: AtomicUsize::new(0) })
    }
}

impl Resolve for MovingName {
    fn resolve<'a>(&'a self, host: &'a str, _: u16) -> Resolving<'a> {
        assert_eq!(host, "solr.test");
        let number = self.lookups.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            match number {
                0 => Ok(vec![self.addresses[0]]),
                1 => Err(io::Error::other("the name server is away")),
                _ => Ok(vec![self.addresses[1]]),
            }
        })
    }
}

/// Retries without waiting.
pub fn options() -> ClientOptions {
    let retry = RetryOptions { backoff: Duration::ZERO, ..RetryOptions::default() };
    ClientOptions { timeout: Duration::from_secs(20), retry, ..ClientOptions::default() }
}

/// A whole answer with `body`.
pub fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", &[], body.as_bytes())
}

pub fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for header in headers {
        answer += &format!("{header}\r\n");
    }
    [answer.as_bytes(), b"\r\n", body].concat()
}

async fn serve(mut stream: TcpStream, script: &Script, seen: &Mutex<Seen>) -> std::io::Result<()> {
    while let Some(request) = read_request(&mut stream).await? {
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.requests.push(request.clone());
            seen.requests.len() - 1
        };
        match script(number, &request) {
            Act::Answer(answer) => stream.write_all(&answer).await?,
            Act::AnswerThenClose(answer) => {
                stream.write_all(&answer).await?;
                stream.shutdown().await?;
                // The client's own end, which a client that keeps half-closed sockets never sends.
                let _ = stream.read(&mut [0]).await?;
                return Ok(());
            }
            Act::AnswerThenStall(answer) => {
                stream.write_all(&answer).await?;
                let _ = stream.read(&mut [0]).await?;
                return Ok(());
            }
            Act::AnswerThenReset(answer) => {
                stream.write_all(&answer).await?;
                return stream.set_zero_linger();
            }
            Act::EndlessHead => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
                let line = format!("x-filler: {}\r\n", "x".repeat(1000));
                while stream.write_all(line.as_bytes()).await.is_ok() {
                    seen.lock().unwrap().head_bytes += line.len();
                }
            }
        }
    }
    Ok(())
}

/// Head and body, by length; `None` at the end of the connection.
async fn read_request(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut request = Vec::new();
    loop {
        if let Some(at) = request.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..at]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if request.len() >= at + 4 + length.map_or(0, |length| length.parse().unwrap()) {
                return Ok(Some(String::from_utf8_lossy(&request).into_owned()));
            }
        }
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(None);
        }
    }
}
