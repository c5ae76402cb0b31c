//! A verb of the v2 API, as the older API's request: what it means was worked out in
//! `crates/http/src/request/v2.rs`, what it does is the older handler's, so that both answer alike. In: what
//! the path and the body said, as parameters; out: the older handler's reply under the v2 envelope. Needs are
//! checked for what is done, not for how it was asked.

use solr::params::response::JSON_NAMED_LISTS;

use super::node;
use crate::request::call::{Call, Content, Envelope};
use crate::request::reply::Reply;
use crate::request::serving::Serving;
use crate::request::v2::V2;
use crate::security::Needs;

/// What the older API calls JSON; the v2 API leaves the character set out.
const JSON_WITH_CHARSET: &str = "application/json;charset=utf-8";

pub(super) async fn run(call: &Call<'_>, v2: &V2) -> Reply {
    let body = call.content.as_ref().map(Content::text).transpose();
    let mut params = match body.and_then(|body| v2.params(&call.params, body)) {
        Ok(params) => params,
        Err(error) => return Envelope::plain(&call.params).wrap(call, Err(error.into())),
    };
    // Named lists are objects there.
    if !JSON_NAMED_LISTS.is_sent(&params) {
        params.push(JSON_NAMED_LISTS.name, "map");
    }
    let serving = Serving::Node(v2.verb.handler);
    let needs = || Needs::of(&call.server.node, &serving, &call.method, &params);
    if !call.access.is_open()
        && let Err(refusal) = call.access.check(needs(), call.method.as_str(), &params)
    {
        return refusal.into_reply(&needs().path);
    }
    let content = call.content.as_ref().filter(|_| v2.keeps_body());
    let older = Call {
        server: call.server,
        method: call.method.clone(),
        target: None,
        core: None,
        beside: Vec::new(),
        params,
        access: call.access.clone(),
        sender: call.sender.clone(),
        content: content.map(Content::again),
        more_files: Vec::new(),
        started_ms: call.started_ms,
        trace: call.trace.clone(),
        tally: None,
        room: None,
    };
    let reply = node::run(&older, v2.verb.handler, None).await;
    match &*reply.content_type {
        JSON_WITH_CHARSET => Reply { content_type: "application/json".into(), ..reply },
        _ => reply,
    }
}
