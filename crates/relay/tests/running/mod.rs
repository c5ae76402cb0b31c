//! A relay before scripted servers, and an application that speaks to it byte by byte.
#![allow(dead_code)]

use std::net::SocketAddr;

use client::Endpoint;
use relay::{Listener, Relay, RelayLimits, UpstreamConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::{Server, options};

pub struct Running {
    pub address: SocketAddr,
    pub relay: Relay,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<bool>,
}

impl Running {
    pub async fn before(servers: &[&Server]) -> Self {
        Self::start(RelayLimits::default(), upstream(servers)).await
    }

    pub async fn start(limits: RelayLimits, upstream: UpstreamConfig) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, limits, upstream)
    }

    pub fn on(listener: TcpListener, limits: RelayLimits, upstream: UpstreamConfig) -> Self {
        let address = listener.local_addr().unwrap();
        let relay = Relay::new(limits, upstream);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn({
            let relay = relay.clone();
            async move { relay.serve(vec![Listener::tcp(listener).unwrap()], async { drop(stopped.await) }).await }
        });
        Self { address, relay, stop, serving }
    }

    /// Sends it all on a connection of its own, and reads to the end of that.
    pub async fn ask(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        // A connection that is reset has brought what it has brought.
        let _ = stream.read_to_end(&mut bytes).await;
        Reply(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub async fn get(&self, target: &str) -> Reply {
        self.ask(&format!("GET {target} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n")).await
    }

    pub async fn post(&self, target: &str, content_type: &str, body: &str) -> Reply {
        let length = body.len();
        self.ask(&format!(
            "POST {target} HTTP/1.1\r\nHost: app\r\nConnection: close\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    pub async fn update(&self) -> Reply {
        self.post("/solr/c/update", "application/json", "[]").await
    }

    /// Whether all that was under way ended in time.
    pub async fn stop(self) -> bool {
        let _ = self.stop.send(());
        self.serving.await.unwrap()
    }
}

/// All that came on a connection.
#[derive(Debug)]
pub struct Reply(pub String);

impl Reply {
    pub fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next().unwrap_or_default();
        let fields = head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    pub fn outcome(&self) -> Option<&str> {
        self.header("x-relay-outcome")
    }

    /// Whether the body is as long as its head says, or ends with the last chunk.
    pub fn is_whole(&self) -> bool {
        match self.header("content-length") {
            Some(length) => length.parse() == Ok(self.body().len()),
            None => self.body().ends_with("0\r\n\r\n"),
        }
    }
}

pub fn upstream(servers: &[&Server]) -> UpstreamConfig {
    let endpoints = servers
        .iter()
        .enumerate()
        .map(|(at, server)| Endpoint::from(server.url.clone()).in_zone(if at == 0 { "near" } else { "far" }));
    UpstreamConfig {
        servers: endpoints.collect(),
        zoned: Vec::new(),
        zookeeper: None,
        cloud: false,
        login: None,
        options: options(),
        cache: None,
        shows_own_writes: false,
        instance: 7,
        id_field: "id".to_owned(),
        shown: serde_json::json!({ "upstream": "scripted" }),
    }
}
