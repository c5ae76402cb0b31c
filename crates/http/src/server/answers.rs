//! Whole answers, kept for the next request of the same words. An answer is that of a moment of its
//! collection, and is gone when the moment is: after a refresh, a change of schema or config, a reload. What
//! reads the clock, or asks to be answered afresh (`{!cache=false}`), is never kept. Solr has no such cache;
//! its own are the engine's.

use std::sync::Arc;

use cluster::{Cache, Moment, Node};
use hyper::Method;
use hyper::http::uri::PathAndQuery;
use plan::CacheStats;

use crate::request::reply::Reply;

/// Longer answers are not kept.
const BODY_BYTES_MAX: usize = 1 << 20;

/// By path and query as they came.
pub(crate) struct Answers(Cache<Box<str>, Arc<Kept>>);

struct Kept {
    /// What the request called it: another collection may be called so later, by an alias.
    collection: String,
    moment: Moment,
    reply: Reply,
}

impl Answers {
    /// 0 bytes keep nothing.
    pub fn new(bytes_max: u64) -> Self {
        Self(Cache::new(bytes_max))
    }

    /// The answer to a request, if it is kept and still holds.
    pub fn find(&self, node: &Node, method: &Method, target: Option<&PathAndQuery>) -> Option<Reply> {
        if *method != Method::GET {
            return None;
        }
        let holds = |kept: &Arc<Kept>| {
            node.find(&kept.collection).is_some_and(|collection| collection.moment() == Some(kept.moment))
        };
        self.0.get_if(target?.as_str(), holds).map(|kept| Reply { was_kept: true, ..kept.reply.clone() })
    }

    /// Keeps the answer that the collection which the path calls so gave at `moment` or later.
    pub fn keep(&self, target: &PathAndQuery, collection: String, moment: Moment, reply: Reply) {
        let bytes = reply.body.len();
        if bytes <= BODY_BYTES_MAX {
            let logged = reply.search.as_ref().map_or(0, |search| search.bytes());
            let bytes = (bytes + target.as_str().len() + collection.len() + logged) as u64;
            // A copy: the request's own buffer holds its headers too.
            self.0.insert(target.as_str().into(), Arc::new(Kept { collection, moment, reply }), bytes);
        }
    }

    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }

    pub fn stats(&self) -> CacheStats {
        self.0.stats()
    }
}
