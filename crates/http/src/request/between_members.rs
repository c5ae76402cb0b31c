//! What another member asks of the shards that are served here: one path, whose messages are `cluster`'s,
//! taken from members alone. Clients have no way here, and what they may do is not asked: whoever sends the
//! message has asked that of its client.
//!
//! In: a signed message; out: its answer. What is asked, and which shard answers, is `cluster`'s.

use std::sync::Arc;

use cluster::Answering;
use hyper::Request;
use hyper::body::Incoming;
use plan::{Error, Result};

use crate::members::{CONTENT_TYPE, MemberKey};
use crate::request::body::Upload;
use crate::request::reply::Reply;
use crate::server::Server;

/// Answers another member. Errors: those of the message; what the shard says is in the answer.
pub(crate) async fn answer(
    server: &Arc<Server>,
    (answering, key): (&Arc<Answering>, &MemberKey),
    request: Request<Incoming>,
) -> Result<Reply> {
    // Past admission: whoever asks was admitted where its client came in, and a member that made it wait for
    // room that is held by those who wait for the other member would wait for itself.
    let headers = request.headers().clone();
    let (body, room) = Upload::new(server, request, server.config.body_bytes_max)?.whole().await?;
    // The body is signed, so that it is read first, within the room that all bodies have.
    key.check(&headers, server.node.clock().now_ms(), &body)?;
    let (answering, node) = (answering.clone(), server.node.clone());
    // It may wait for the log, or compute for long: neither is for the threads that read requests.
    let work = move || {
        let _room = room;
        answering.answer(&*node, &body)
    };
    let answer = tokio::task::spawn_blocking(work).await.map_err(|failure| {
        Error::internal("a shard's thread panicked; see the log").with_source(failure)
    })??;
    Ok(Reply { status: 200, content_type: CONTENT_TYPE.into(), body: answer.into(), ..Reply::default() })
}
