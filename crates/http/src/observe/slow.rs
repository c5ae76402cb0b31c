//! The slow log. Each request carries a [`Watch`] from its path to its end; when that took longer than the
//! collection or the server allows, what is known of it becomes a line of the log and one of the last that
//! `/solr/admin/slow` shows.

use std::sync::Arc;

use cluster::Collection;
use hyper::{Method, Uri};
use meter::Trace;
use solr::slow::{SlowRequest, shown_params};
use solr::{Params, parse_form};

use crate::request::serving::Serving;
use crate::server::Server;

/// How old a reading of what a thread used may be, as a share of what is slow: what it tells of another
/// phase, or another request, is less than that.
const GRAIN_SHARE: u64 = 100;

/// What is kept of a request on its way. Noted when it is dropped, so that one whose client left is noted
/// too.
pub(crate) struct Watch<'a> {
    server: &'a Arc<Server>,
    pub method: Method,
    pub uri: Uri,
    pub started_ms: i64,
    /// Of the URL and the form, once the answer is there.
    pub params: Option<Params>,
    /// Of the answer.
    pub status: Option<u16>,
    pub trace: Trace,
    /// Who sent it, where the query log is to know.
    pub user: Option<String>,
    collection: Option<Arc<Collection>>,
    threshold_ms: Option<u64>,
}

impl<'a> Watch<'a> {
    pub fn new(server: &'a Arc<Server>, method: Method, uri: Uri) -> Self {
        Self {
            server,
            method,
            uri,
            started_ms: server.node.clock().now_ms(),
            params: None,
            status: None,
            trace: Trace::default(),
            user: None,
            collection: None,
            threshold_ms: None,
        }
    }

    /// It is known who serves the request, and with it what is slow.
    pub fn begin(&mut self, serving: &Serving) {
        self.threshold_ms = self.server.config.slow_ms;
        if let Serving::Collection { collection, .. } = serving {
            self.threshold_ms = collection.config().slow_query_ms.or(self.threshold_ms);
            self.collection = Some(collection.clone());
        }
        if let Some(threshold_ms) = self.threshold_ms {
            let grain_ns = threshold_ms.saturating_mul(1_000_000 / GRAIN_SHARE);
            self.trace = Trace::new(self.server.node.clock().clone(), grain_ns);
        } else if self.server.config.query_log.is_some() && serving.is_logged() {
            // For the count of hits: what threads use is read as seldom as can be.
            self.trace = Trace::new(self.server.node.clock().clone(), u64::MAX);
        }
    }

    /// The request asks where its time goes: from now on every step is looked at.
    pub fn look_closely(&mut self) {
        if !self.trace.is_on() {
            self.trace = Trace::new(self.server.node.clock().clone(), 0);
        }
        self.trace.be_exact();
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let (Some(threshold_ms), Some(wall_ns)) = (self.threshold_ms, self.trace.elapsed_ns()) else {
            return;
        };
        if wall_ns / 1_000_000 < threshold_ms {
            return;
        }
        let Some(traced) = self.trace.traced() else { return };
        let sent = || parse_form(self.uri.query().unwrap_or_default().as_bytes()).unwrap_or_default();
        let params = self.params.take().unwrap_or_else(sent);
        let elapsed_ms = i64::try_from(traced.wall_ns / 1_000_000).unwrap_or(i64::MAX);
        self.server.slow.note(SlowRequest {
            at_ms: self.server.node.clock().now_ms().saturating_sub(elapsed_ms),
            method: self.method.to_string(),
            path: self.uri.path().to_owned(),
            collection: self.collection.as_ref().map(|collection| collection.name()),
            params: shown_params(&params),
            status: self.status,
            traced,
        });
    }
}
