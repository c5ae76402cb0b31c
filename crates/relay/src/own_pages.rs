//! The relay's own pages, below `/relay/`: whether it serves, what it counts, how it is configured. They are
//! answered without any server, so that a watcher can tell a relay that is down from servers that are. A path
//! below `/solr` is never the relay's own, so that nothing of a server is hidden by it.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::json;

use crate::body::{Answer, RelayBody};
use crate::refusal::Refusal;
use crate::shared::Shared;

const JSON: &str = "application/json;charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4";

pub(crate) fn answer(shared: &Shared, method: &Method, page: &str) -> Answer {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "the relay's own pages are read with GET")
            .answer();
    }
    match page {
        // Whoever can ask is served: a relay that stops takes no connections.
        "health" => text(JSON, format!("{}\n", json!({ "status": "OK" }))),
        "metrics" => text(PROMETHEUS, shared.metrics.prometheus() + &shared.upstream().prometheus()),
        "config" => text(JSON, format!("{:#}\n", shared.upstream().config.shown)),
        _ => {
            let message = format!("`{page}` is no page of the relay; use `health`, `metrics` or `config`");
            Refusal::new(StatusCode::NOT_FOUND, message).answer()
        }
    }
}

fn text(content_type: &'static str, body: String) -> Answer {
    let mut answer = Answer::new(RelayBody::from(body));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}
