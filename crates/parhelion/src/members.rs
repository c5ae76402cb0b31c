//! The other members of the cluster: what sends requests on to them, and what sees to it that this one serves
//! what is its own. Who lives is told by `zookeeper`; what follows from it is `cluster`'s.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use client::{ErrorKind as ClientErrorKind, Request, SolrClient, SolrUrl, is_reader};
use cluster::Node;
use http::{Forward, Forwarded, ForwardedAnswer};
use plan::{Error, ErrorKind, Result};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// For whatever another member is asked: it has bounds of its own. Solr waits as long between nodes.
const ANSWER: Duration = Duration::from_secs(600);
/// What is looked at without asking anyone: whether a shard heard that it is another's.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Nothing may have been heard of a change.
const READ_EVERY: Duration = Duration::from_secs(30);

/// Requests to other members, each over connections that are kept.
#[derive(Default)]
pub struct MemberClients(Mutex<HashMap<String, SolrClient>>);

impl MemberClients {
    fn to(&self, url: &str) -> Result<SolrClient, client::Error> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = clients.get(url) {
            return Ok(known.clone());
        }
        let made = SolrClient::new(format!("{url}/solr").parse::<SolrUrl>()?, ANSWER);
        clients.insert(url.to_owned(), made.clone());
        Ok(made)
    }

    async fn send(&self, forwarded: Forwarded) -> Result<ForwardedAnswer, client::Error> {
        let Forwarded { url, method, target, headers, body, is_safe } = forwarded;
        let mut request = Request::relayed(&method, &target)?;
        for (name, value) in &headers {
            request = request.header_bytes(name, value)?;
        }
        if let Some(body) = body {
            // Its type is among the headers.
            request = request.body(None, body);
        }
        // An update that was sent may be done: only what reads is tried again.
        if is_safe || is_reader(&target) {
            request = request.safe();
        }
        let answer = self.to(&url)?.send(&request).await?;
        Ok(ForwardedAnswer {
            status: answer.status,
            retry_after_s: answer.retry_after().map_or(0, |wait| wait.as_secs()),
            content_type: answer.content_type,
            body: answer.body,
        })
    }
}

impl Forward for MemberClients {
    fn forward(
        &self,
        request: Forwarded,
    ) -> Pin<Box<dyn Future<Output = Result<ForwardedAnswer>> + Send + '_>> {
        Box::pin(async move {
            let url = request.url.clone();
            self.send(request).await.map_err(|error| {
                let kind = match error.kind() {
                    ClientErrorKind::OutcomeUnknown => ErrorKind::Unknown,
                    _ => ErrorKind::Unavailable,
                };
                Error::new(kind, format!("the node at `{url}` does not answer: {error}")).with_source(error)
            })
        })
    }
}

/// Sees to it that the node serves what is its own, until it is stopped or dropped.
pub struct Caretaker {
    task: JoinHandle<()>,
}

impl Caretaker {
    /// `stirred` tells of members that came or went; `changed` hears when something else is served here.
    pub fn start(node: &Arc<Node>, stirred: Arc<Notify>, changed: impl Fn() + Send + Sync + 'static) -> Self {
        let node = Arc::downgrade(node);
        Self { task: tokio::spawn(care(node, stirred, changed)) }
    }

    /// Returns once it does nothing any more.
    pub async fn stop(self) {
        self.task.abort();
        // What was under way on a thread goes on, and ends before the node closes: both take its lock.
        let _ = self.task.await;
    }
}

async fn care(node: Weak<Node>, stirred: Arc<Notify>, changed: impl Fn()) {
    let mut told = Vec::new();
    let mut quiet = Duration::ZERO;
    loop {
        let is_stirred = timeout(LOOK_EVERY, stirred.notified()).await.is_ok();
        quiet += LOOK_EVERY;
        let Some(node) = node.upgrade() else { return };
        // Reading the documents asks the store; between, only what costs nothing is looked at.
        let is_due = is_stirred || !told.is_empty() || quiet >= READ_EVERY || node.has_shards_to_open();
        if !is_due {
            continue;
        }
        quiet = Duration::ZERO;
        let Ok(done) = tokio::task::spawn_blocking(move || node.take_part()).await else { return };
        match done {
            Ok(did) => {
                told.clear();
                if did {
                    changed();
                }
            }
            Err(failures) => {
                let now: Vec<String> = failures.iter().map(ToString::to_string).collect();
                if now != told {
                    let warn = |error: &Error| {
                        tracing::warn!(%error, "not everything that is this node's is served; trying on");
                    };
                    failures.iter().for_each(warn);
                }
                told = now;
                // Some of it may be.
                changed();
            }
        }
    }
}
