//! One connection of an application, in HTTP/1.1 (or 1.0), until either side ends it or the relay stops.
//! Requests are answered one after the other by `exchange.rs`. HTTP/2 is spoken to servers, not here:
//! applications that speak it need no relay for their connections.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;

use crate::exchange;
use crate::listener::AppStream;
use crate::shared::Shared;

/// Request line and headers together. Solr's own bound is 8 KB; searches by GET are longer where a proxy
/// allows them.
const HEAD_BYTES_MAX: usize = 256 << 10;

pub(crate) async fn serve(stream: AppStream, shared: Arc<Shared>, stopped: watch::Receiver<bool>) {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(shared.limits.idle_max)
        .max_buf_size(HEAD_BYTES_MAX)
        // Who has said all there is to say may still wait for the answer, as with Jetty.
        .half_close(true);
    let service = service_fn(|request| {
        let shared = shared.clone();
        // In a box, for it is large, and a connection keeps room for it while it asks nothing: of 10,000
        // idle ones each took 44 KB (2026-11-26).
        Box::pin(async move { Ok::<_, Infallible>(exchange::respond(shared, request).await) })
    });
    let mut talk = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // `stopped` itself lives as long as the connection: by that the relay knows that it is open.
    let mut stop = stopped.clone();
    let told = async move { drop(stop.wait_for(|stop| *stop).await) };
    let ended = tokio::select! {
        // An answer that comes with the end is written behind it, and says so.
        biased;
        () = told => {
            // What is under way ends, with `Connection: close`.
            talk.as_mut().graceful_shutdown();
            talk.await
        }
        ended = talk.as_mut() => ended,
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
