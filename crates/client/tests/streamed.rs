//! Answers that are read as they come: what of them is kept together, what breaks on the way, and what
//! becomes of their connections.

mod support;

use std::time::Duration;

use client::{ClientOptions, CompressionOptions, Error, Request, SolrClient, StreamedResponse};
use support::{Act, Server, answer, ok, options};

fn search() -> Request {
    Request::get("c/export", &[])
}

/// A head that promises so much, and as much of it as is given.
fn promised(length: usize, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").as_bytes(), body].concat()
}

async fn read(answer: &mut StreamedResponse) -> (usize, Result<(), Error>) {
    let mut bytes = 0;
    loop {
        match answer.piece().await {
            Ok(Some(piece)) => bytes += piece.len(),
            Ok(None) => return (bytes, Ok(())),
            Err(error) => return (bytes, Err(error)),
        }
    }
}

#[tokio::test]
async fn a_short_answer_is_whole_at_once() {
    let server = Server::answering(answer("404 Not Found", &["x-a: 1", "x-a: 2"], b"{}")).await;
    let client = server.client();
    for _ in 0..3 {
        let mut answer = client.open(&search()).await.unwrap();
        assert_eq!((answer.status, answer.whole().unwrap().as_ref()), (404, b"{}".as_ref()));
        let values: Vec<_> = answer.headers().filter(|(name, _)| *name == "x-a").map(|it| it.1).collect();
        assert_eq!((values, answer.header("content-length")), (vec![b"1".as_ref(), b"2"], Some("2")));
        assert_eq!(answer.piece().await.unwrap().unwrap(), "{}");
        assert!(answer.piece().await.unwrap().is_none());
    }
    assert_eq!(server.seen(|seen| seen.connections), 1);
}

#[tokio::test]
async fn a_long_answer_comes_in_pieces_and_gives_its_connection_back() {
    let server = Server::answering(ok(&"x".repeat(5_000_000))).await;
    let client = SolrClient::with_options(
        server.url.clone(),
        // The bound is one of whole answers.
        ClientOptions { response_bytes_max: 1000, ..options() },
    );
    for _ in 0..3 {
        let mut answer = client.open(&search()).await.unwrap();
        assert_eq!(answer.whole(), None);
        assert!(matches!(read(&mut answer).await, (5_000_000, Ok(()))));
    }
    assert_eq!(server.seen(|seen| seen.connections), 1);
    assert_eq!(client.metrics().response_bytes, 15_000_000);
}

#[tokio::test]
async fn one_that_is_given_up_closes_its_connection() {
    let server = Server::answering(ok(&"x".repeat(50_000_000))).await;
    let client = server.client();
    drop(client.open(&search()).await.unwrap());
    server.ended(1).await;
}

#[tokio::test]
async fn what_breaks_before_anything_was_given_out_is_asked_again() {
    let server = Server::start(|number, _| match number {
        0 => Act::AnswerThenReset(promised(10, b"")),
        1 => Act::AnswerThenClose(promised(10, b"{}")),
        _ => Act::Answer(ok("{}")),
    })
    .await;
    let client = server.client();
    let answer = client.open(&search()).await.unwrap();
    assert_eq!((answer.whole().unwrap().as_ref(), server.requests()), (b"{}".as_ref(), 3));
    let update = Request::post("c/update", &[], "application/json", "[]");
    let server = Server::start(|_, _| Act::AnswerThenClose(promised(10, b"{}"))).await;
    assert!(matches!(server.client().open(&update).await, Err(Error::Broken { .. })));
    assert_eq!(server.requests(), 1);
}

/// The caller has had a part: all that can be done is to tell.
#[tokio::test]
async fn what_breaks_later_is_told_of() {
    let part = vec![b'x'; 300_000];
    for stalls in [false, true] {
        let long = promised(1_000_000, &part);
        let server = Server::start(move |_, _| match stalls {
            true => Act::AnswerThenStall(long.clone()),
            false => Act::AnswerThenClose(long.clone()),
        })
        .await;
        let client = server.client();
        let mut answer = client.open(&search().timeout(Duration::from_millis(300))).await.unwrap();
        let (bytes, ended) = read(&mut answer).await;
        let error = ended.unwrap_err();
        assert!(matches!((stalls, &error), (true, Error::Timeout { .. }) | (false, Error::Broken { .. })));
        assert_eq!((bytes, server.requests(), client.metrics().failures), (300_000, 1, 1));
        assert!(answer.piece().await.unwrap().is_none());
        server.ended(1).await;
    }
}

#[tokio::test]
async fn what_comes_packed_is_unpacked_on_the_way() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![b' '; 3_000_000]).unwrap();
    let packed = encoder.finish().unwrap();
    let whole = answer("200 OK", &["content-encoding: gzip"], &packed);
    let cut = answer("200 OK", &["content-encoding: gzip"], &packed[..packed.len() - 9]);
    let server =
        Server::start(move |number, _| Act::Answer(if number == 0 { whole.clone() } else { cut.clone() }))
            .await;
    let compression = CompressionOptions { on_loopback: true, ..CompressionOptions::default() };
    let client = SolrClient::with_options(server.url.clone(), ClientOptions { compression, ..options() });
    let mut answer = client.open(&search()).await.unwrap();
    assert_eq!((answer.header("content-encoding"), answer.header("content-length")), (None, None));
    assert!(matches!(read(&mut answer).await, (3_000_000, Ok(()))));
    let mut answer = client.open(&search()).await.unwrap();
    assert!(matches!(read(&mut answer).await, (1.., Err(Error::Broken { .. }))));
}

#[tokio::test]
async fn requests_of_others_are_passed_on_as_they_are() {
    let server = Server::answering(ok("{}")).await;
    let client = server.client();
    let send = async |method: &str, target: &str, body: Option<&'static str>| {
        let request = Request::relayed(method, target).unwrap();
        let request = request.header("Cookie", "a=1").unwrap().header("Cookie", "b=2").unwrap();
        let request = match body {
            Some(body) => request.body(None, body).header("Content-Type", "text/x").unwrap(),
            None => request,
        };
        client.send(&request).await.unwrap();
        server.seen(|seen| seen.requests.last().unwrap().to_ascii_lowercase())
    };
    let seen = send("GET", "c/select?q=%C3%A4&q=b", None).await;
    assert!(seen.starts_with("get /solr/c/select?q=%c3%a4&q=b http/1.1\r\n"), "{seen}");
    assert!(seen.contains("\r\ncookie: a=1\r\ncookie: b=2\r\n"), "{seen}");
    let seen = send("PUT", "/api/cores/c", Some("{}")).await;
    assert!(seen.starts_with("put /api/cores/c http/1.1\r\n"), "{seen}");
    assert!(seen.contains("content-type: text/x\r\n") && seen.ends_with("\r\n\r\n{}"), "{seen}");
}
