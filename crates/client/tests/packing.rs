//! Bodies of requests are packed for servers that have said that they take it, and for no others.

mod support;

use client::{ClientOptions, Coding, CompressionOptions, Request, RequestCoding, SolrClient};
use support::{Act, Server, answer, ok, options};

fn client(server: &Server, requests: RequestCoding) -> SolrClient {
    let compression = CompressionOptions { requests, on_loopback: true, ..CompressionOptions::default() };
    SolrClient::with_options(server.url.clone(), ClientOptions { compression, ..options() })
}

fn update(bytes: usize) -> Request {
    Request::post("c/update", &[], "application/json", format!("[]{}", " ".repeat(bytes - 2)))
}

/// What a request said of its body's packing.
fn coding(server: &Server, number: usize) -> Option<String> {
    let head = server.seen(|seen| seen.requests[number].clone()).to_ascii_lowercase();
    head.lines().find_map(|line| line.strip_prefix("content-encoding: ")).map(str::to_owned)
}

#[tokio::test]
async fn a_server_that_says_so_gets_packed_requests() {
    let takes = |list: &str| answer("200 OK", &[&format!("accept-encoding: {list}")], b"{}");
    let lists = [takes("br;q=0.5, gzip;q=0"), takes("gzip"), ok("{}"), ok("{}")];
    let server = Server::start(move |number, _| Act::Answer(lists[number.min(3)].clone())).await;
    let client = client(&server, RequestCoding::Negotiated);
    for _ in 0..4 {
        client.send(&update(5000)).await.unwrap().ok().unwrap();
    }
    let codings: Vec<Option<String>> = (0..4).map(|number| coding(&server, number)).collect();
    assert_eq!(codings, [None, Some("br".to_owned()), Some("gzip".to_owned()), None]);
    let metrics = client.metrics();
    assert!(metrics.request_bytes == 20_000 && metrics.request_bytes_sent < 11_000, "{metrics:?}");
}

#[tokio::test]
async fn what_is_short_or_packed_already_goes_as_it_is() {
    let server = Server::answering(answer("200 OK", &["accept-encoding: zstd"], b"{}")).await;
    let client = client(&server, RequestCoding::Negotiated);
    client.send(&update(100)).await.unwrap();
    client.send(&update(1023)).await.unwrap();
    client.send(&update(5000).header("content-encoding", "deflate").unwrap()).await.unwrap();
    client.send(&update(1024)).await.unwrap();
    let codings: Vec<Option<String>> = (0..4).map(|number| coding(&server, number)).collect();
    assert_eq!(codings, [None, None, Some("deflate".to_owned()), Some("zstd".to_owned())]);
}

/// It is refused unread, so even an update may be sent once more; the server gets no packed one any more.
#[tokio::test]
async fn a_server_that_refuses_packed_requests_gets_them_as_they_are() {
    let server =
        Server::start(|_, request| match request.to_ascii_lowercase().contains("content-encoding") {
            true => Act::Answer(answer("415 Unsupported Media Type", &[], b"{}")),
            false => Act::Answer(answer("200 OK", &["accept-encoding: gzip"], b"{}")),
        })
        .await;
    let client = client(&server, RequestCoding::Always(Coding::Gzip));
    for _ in 0..3 {
        assert_eq!(client.send(&update(5000)).await.unwrap().status, 200);
    }
    let codings: Vec<Option<String>> = (0..4).map(|number| coding(&server, number)).collect();
    assert_eq!((codings, server.requests()), (vec![Some("gzip".to_owned()), None, None, None], 4));
    assert_eq!(client.metrics().codings_refused, 1);
    // A type that is not read is the caller's mistake, and sent once.
    let server = Server::answering(answer("415 Unsupported Media Type", &[], b"{}")).await;
    let client = self::client(&server, RequestCoding::Negotiated);
    assert_eq!((client.send(&update(5000)).await.unwrap().status, server.requests()), (415, 1));
}

#[tokio::test]
async fn this_machine_s_servers_are_spared() {
    let server = Server::answering(answer("200 OK", &["accept-encoding: gzip"], b"{}")).await;
    let compression =
        CompressionOptions { requests: RequestCoding::Always(Coding::Zstd), ..Default::default() };
    let client = SolrClient::with_options(server.url.clone(), ClientOptions { compression, ..options() });
    for number in 0..2 {
        client.send(&update(5000)).await.unwrap();
        assert_eq!(coding(&server, number), None);
    }
}
