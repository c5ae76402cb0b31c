//! What is asked, and how one question is put: bounded in time and size, once, and with the moments of asking
//! and answering. What is asked for is `ask.rs`'s and `replicas.rs`'s. The two moments go to the clocks'
//! comparison: a node's clock can be known no better than half the time that its answer took.

use std::time::Duration;

use client::{ClientOptions, Error, RetryOptions, SolrClient, SolrUrl, Tls};
use serde_json::Value;

use super::read::ClockReadings;
use crate::verdict::words::printable;

#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Such as `http://10.0.0.4:8983/solr`, of any node. Its login is used at the other nodes too.
    pub url: SolrUrl,
    /// Whom to trust at every node, and what to show to it.
    pub tls: Tls,
    /// For one answer.
    pub patience: Duration,
    /// Between two looks at what grows; none leaves out what takes two.
    pub watch: Duration,
    /// The clock here, in milliseconds since 1970.
    pub now_ms: fn() -> i64,
}

/// Longer answers are no administration's.
const ANSWER_BYTES_MAX: usize = 64 << 20;

impl ClusterOptions {
    pub fn client(&self, url: &SolrUrl) -> SolrClient {
        // A node that does not answer is a finding: it is asked once.
        let retry = RetryOptions { attempts_max: 1, ..RetryOptions::default() };
        let (timeout, response_bytes_max) = (self.patience, ANSWER_BYTES_MAX);
        let tls = self.tls.clone();
        let options = ClientOptions { timeout, response_bytes_max, retry, tls, ..ClientOptions::default() };
        SolrClient::with_options(url.clone(), options)
    }

    /// An answer, and when it was asked for.
    pub async fn get(
        &self,
        client: &SolrClient,
        path: &str,
        params: &[(&str, &str)],
    ) -> Result<(Value, ClockReadings), Error> {
        let asked_ms = (self.now_ms)();
        let answer = client.get(path, params).await?.ok()?.json()?;
        Ok((answer, (asked_ms, (self.now_ms)())))
    }
}

/// A question that failed, and why.
pub fn unseen(what: &str, error: &Error) -> String {
    format!("{what}: {}", printable(&error.to_string()))
}
