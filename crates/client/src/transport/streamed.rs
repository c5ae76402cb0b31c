//! An answer that its caller reads as it comes, with what has been read of it already. What breaks on the way
//! cannot be asked for again: the caller has had a part of it.
//!
//! In: an opened answer; out: pieces, and at the end what they say of the server. Where the caller drops it
//! early, its connection is closed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use tokio::time::timeout;

use super::attempt::Answer;
use super::body::AnswerBody;
use crate::balance::{Balancer, Verdict};
use crate::error::Error;
use crate::metrics::Metrics;

/// An answer whose body comes in pieces.
///
/// ```no_run
/// # async fn example(client: client::SolrClient) -> Result<(), client::Error> {
/// let export = client::Request::get("films/export", &[("q", "*:*"), ("sort", "id asc"), ("fl", "id")]);
/// let mut answer = client.open(&export).await?;
/// while let Some(piece) = answer.piece().await? {
///     // Some kilobytes at a time.
///     # let _ = piece;
/// }
/// # Ok(()) }
/// ```
pub struct StreamedResponse {
    pub status: u16,
    /// Empty when the server sent none.
    pub content_type: String,
    headers: HeaderMap,
    begun: Bytes,
    rest: Option<AnswerBody>,
    /// For each further piece.
    patience: Duration,
    balancer: Arc<Balancer>,
    metrics: Arc<Metrics>,
}

impl StreamedResponse {
    pub(super) fn new(
        answer: Answer,
        patience: Duration,
        balancer: &Arc<Balancer>,
        metrics: &Arc<Metrics>,
    ) -> Self {
        let Answer { status, content_type, headers, begun, rest } = answer;
        let (balancer, metrics) = (balancer.clone(), metrics.clone());
        Self { status, content_type, headers, begun, rest, patience, balancer, metrics }
    }

    /// The first value of a header, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// All headers, by name and value, in no order but that of equal names. Of a body that came packed the
    /// ones that said so are left out.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
    }

    /// The rest of the body, where that has come altogether: of a short answer mostly all.
    pub fn whole(&self) -> Option<&Bytes> {
        self.rest.is_none().then_some(&self.begun)
    }

    /// The next bytes, unpacked, at least one; `None` at the end. Each may take as long as the request was
    /// given. Errors: [`Error::Broken`], [`Error::Timeout`]; the answer is not whole then, and nothing
    /// follows.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Error> {
        if !self.begun.is_empty() {
            return Ok(Some(std::mem::take(&mut self.begun)));
        }
        let Some(rest) = &mut self.rest else { return Ok(None) };
        let piece = timeout(self.patience, rest.piece()).await.unwrap_or_else(|_| {
            let url = rest.under_way().server().endpoint.url.to_string();
            Err(Error::Timeout { url, seconds: self.patience.as_secs(), sent: true })
        });
        if let Err(error) = &piece {
            self.balancer.record(rest.under_way().server(), Verdict::Failed);
            self.metrics.failures.increment();
            self.metrics.timeouts.add(usize::from(matches!(error, Error::Timeout { .. })));
        }
        if !matches!(piece, Ok(Some(_))) {
            self.rest = None;
        }
        piece
    }
}

impl fmt::Debug for StreamedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamedResponse").field("status", &self.status).finish_non_exhaustive()
    }
}
