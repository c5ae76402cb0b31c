//! What a server of HTTP/2 may do wrong behind the head of an answer. As on HTTP/1.1: an update is sent once and
//! its outcome is not known, a search is asked again.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use client::{ClientOptions, Error, ErrorKind, Protocol, Request, Response, SolrClient};
use h2::Reason;
use h2::server::SendResponse;
use support::options;
use tokio::net::{TcpListener, TcpStream};

/// What becomes of the first requests; later ones are answered.
#[derive(Clone, Copy)]
enum Fault {
    /// Behind the head, and a part of the body.
    Reset,
    /// The body ends before the length that the head promised.
    LengthIsALie,
    /// A part of the body, and nothing more.
    Stall,
    /// The whole connection, behind the head.
    Closed,
}

struct Faulty {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Faulty {
    async fn start(fault: Fault, faults: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = requests.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, fault, faults, count.clone()));
            }
        });
        Self { port, requests }
    }

    async fn ask(&self, request: Request) -> Result<Response, Error> {
        let url = format!("http://127.0.0.1:{}/solr", self.port).parse().unwrap();
        let timeout = Duration::from_secs(20);
        let options = ClientOptions { protocol: Protocol::Http2, timeout, ..options() };
        SolrClient::with_options(url, options).send(&request).await
    }
}

async fn serve(stream: TcpStream, fault: Fault, faults: usize, count: Arc<AtomicUsize>) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    // Streams that are held open stall.
    let mut held = Vec::new();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        if count.fetch_add(1, Ordering::SeqCst) >= faults {
            let mut body = respond.send_response(head(2), false).unwrap();
            body.send_data(Bytes::from_static(b"{}"), true).unwrap();
            continue;
        }
        match fault {
            Fault::Closed => {
                let _ = respond.send_response(head(10), false);
                connection.abrupt_shutdown(Reason::INTERNAL_ERROR);
            }
            _ => held.extend(begin(&mut respond, fault)),
        }
    }
}

fn head(length: usize) -> hyper::Response<()> {
    hyper::Response::builder().header("content-length", length).body(()).unwrap()
}

fn begin(respond: &mut SendResponse<Bytes>, fault: Fault) -> Option<h2::SendStream<Bytes>> {
    let mut body = respond.send_response(head(10), false).unwrap();
    body.send_data(Bytes::from_static(b"{}"), matches!(fault, Fault::LengthIsALie)).unwrap();
    match fault {
        Fault::Reset => body.send_reset(Reason::INTERNAL_ERROR),
        Fault::Stall => return Some(body),
        Fault::LengthIsALie | Fault::Closed => {}
    }
    None
}

fn update() -> Request {
    Request::post("c/update", &[], "application/json", "[]")
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again_only_where_that_is_safe() {
    for fault in [Fault::Reset, Fault::LengthIsALie, Fault::Closed] {
        let server = Faulty::start(fault, 1).await;
        let error = server.ask(update()).await.unwrap_err();
        assert!(matches!(error, Error::Broken { .. }), "{error}");
        assert_eq!((error.kind(), server.requests.load(Ordering::SeqCst)), (ErrorKind::OutcomeUnknown, 1));
        let server = Faulty::start(fault, 1).await;
        let answer = server.ask(Request::get("c/select", &[])).await.unwrap();
        assert_eq!((&*answer.body, server.requests.load(Ordering::SeqCst)), (&b"{}"[..], 2));
    }
}

#[tokio::test]
async fn an_answer_that_stalls_ends_with_the_time() {
    let server = Faulty::start(Fault::Stall, usize::MAX).await;
    for request in [update(), Request::get("c/select", &[])] {
        let error = server.ask(request.timeout(Duration::from_millis(300))).await.unwrap_err();
        assert!(matches!(error, Error::Timeout { sent: true, .. }), "{error}");
    }
    assert_eq!(server.requests.load(Ordering::SeqCst), 2);
}
